/** Whether Landlock contains commands that only read: found out by trying. */
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Landlock, landlockWords } from './landlock.ts';
import { programFiles } from './program-files.ts';
import { systemPlaces } from './system-places.ts';
import { temporaryPrefix } from './temporaries.ts';
import { filterFile, findProgram, runTrial } from './trial.ts';

/** Null where it does not hold: no perl, no Landlock, or a machine that the filter of system calls was not written for. */
export async function probeReaders(environment: NodeJS.ProcessEnv = process.env): Promise<Landlock | null> {
  if (process.platform !== 'linux') return null;
  const program = await findProgram('perl', `/usr/bin:/bin:/usr/local/bin:${environment.PATH ?? ''}`);
  const filter = program === null ? null : await filterFile('readers');
  if (program === null || filter === null) return null;
  // 1 is LANDLOCK_CREATE_RULESET_VERSION.
  const { lines } = await runTrial([program, '-f', '-e', 'print syscall(444, 0, 0, 1), "\\n"'], null);
  const version = Number(lines[0]);
  if (!(version >= 1)) return null;
  const landlock = { program, version, filter };
  return (await holds(landlock)) ? landlock : null;
}

/** Says what a command can do that it should not, or cannot and should. */
const trial = `
[[ $(< "$1/open") == open ]] || echo "nothing can be read"
[[ $(cat "$1/open") == open ]] || echo "programs cannot be run"
echo 2>/dev/null x > "$2/x" || echo "the temporary folder cannot be written"
{ read -r key < "$1/key"; } 2>/dev/null && echo "what is hidden can be read"
{ read -r key < "$3/key"; } 2>/dev/null && echo "other places can be read"
echo 2>/dev/null x > "$1/x" && echo "the folder can be written"
(exec "$4" 0) 2>/dev/null && echo "other programs can be run"
(exec 3<> /dev/udp/127.0.0.1/9) 2>/dev/null && echo "the network can be reached"
echo end
`;

/** Leaves nothing behind. */
async function holds(landlock: Landlock): Promise<boolean> {
  const place = await realpath(await mkdtemp(temporaryPrefix('probe')));
  const [folder, temporary, outside] = ['folder', 'temporary', 'outside'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  try {
    for (const path of [folder, temporary, outside]) await mkdir(path);
    for (const path of [join(folder, 'key'), join(outside, 'key')]) await writeFile(path, 'key\n');
    await writeFile(join(folder, 'open'), 'open\n');
    const search = { path: '/usr/bin:/bin', folder };
    const words = landlockWords(landlock, {
      readable: [folder, ...systemPlaces()],
      hidden: [join(folder, 'key')],
      programs: programFiles(['/bin/bash', 'cat'], search),
      temporary,
    });
    const [other = '/usr/bin/sleep'] = programFiles(['sleep'], search);
    const inner = ['/bin/bash', '-c', trial, 'bash', folder, temporary, outside, other];
    const { lines } = await runTrial([...words, ...inner], null);
    const left = await readdir(folder);
    return lines.join() === 'end' && left.length === 2;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
