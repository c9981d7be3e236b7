/**
 * The shortest script that imports a runner and sends a prompt, for the time from its start to its first request.
 * It imports nothing else: what this file costs, it would add to every figure.
 */
import type { Runner } from './runner.ts';

const [peer, baseUrl = '', folder = ''] = process.argv.slice(2);
const { runner }: { runner: Runner } = await import(`./runners/${peer}.ts`);
const run = await runner.prepare({ baseUrl, folder, steps: 0 });
await run({ delta() {}, echo: (text) => text });
process.exit(0);
