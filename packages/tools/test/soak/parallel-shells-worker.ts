/** One Pawl of the soak: runs contained commands in parallel, and tells of each how it went. */
import { builtinTools } from '../../src/index.ts';

const [folder = '', name = '', shells = '1'] = process.argv.slice(2);
const tools = builtinTools({ environment: process.env });
const bash = tools.find((tool) => tool.name === 'bash');
if (bash === undefined) throw new Error('There is no bash.');
const tell = (message: object) =>
  new Promise<void>((resolve) => {
    process.send?.(message, undefined, {}, () => resolve());
  });

let isOver = false;
process.on('message', () => {
  isOver = true;
});

// Whoever began the soak is gone.
process.on('disconnect', () => {
  if (!isOver) process.exit(1);
});

async function shell(number: number): Promise<void> {
  for (let turn = 0; !isOver; turn++) {
    const file = `out/${name}-${number}`;
    // Without git's own locks, which a person's git would meet; and it warns of folders that go while it looks.
    const status = turn % 10 === 9 ? 'git --no-optional-locks status --porcelain >/dev/null 2>&1; ' : '';
    const command = `${status}echo ${turn} > ${file}; cat ${file}`;
    const context = {
      session: `${name}-${number}`,
      cwd: folder,
      call: `${turn}`,
      signal: new AbortController().signal,
      blobs: { get: async () => null, put: async () => '' },
      lastSeen: () => null,
      paths: [],
      basis: null,
      progress: () => undefined,
    };
    const said = await bash?.run({ command }, context).then(
      ({ content }) => content,
      (error: unknown) => String(error),
    );
    await tell(said === `${turn}` ? {} : { failure: `${command}: ${said}` });
  }
}

await Promise.all(Array.from({ length: Number(shells) }, (_, number) => shell(number)));
process.disconnect();
