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

async function shell(number: number): Promise<void> {
  for (let turn = 0; !isOver; turn++) {
    const file = `out/${name}-${number}`;
    const command = `${turn % 10 === 9 ? 'git status --porcelain >/dev/null; ' : ''}echo ${turn} > ${file}; cat ${file}`;
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
