import type { Reporter } from './reporter.ts';
import type { Output } from './stdout.ts';

/** The protocol's events, durable and transient, one a line, as they happen. A slow reader is waited for; the engine is not. */
export function streamJsonReporter(output: Output): Reporter {
  return {
    event: (event) => output.write(`${JSON.stringify(event)}\n`),
    task: (event) => output.write(`${JSON.stringify(event)}\n`),
    finish: () => undefined,
  };
}
