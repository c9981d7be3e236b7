/** The reporter of an output format. */
import type { OutputFormat } from '../run/flags.ts';
import type { Shown } from './detail.ts';
import type { Reporter } from './reporter.ts';
import type { Screen } from './screen.ts';
import type { Output } from './stdout.ts';

export async function openReporter(
  format: OutputFormat,
  screen: Screen,
  output: Output,
  shown: Shown,
): Promise<Reporter> {
  switch (format) {
    case 'text': {
      const { textReporter } = await import('./text.ts');
      return textReporter(screen, output, { isLive: process.stdout.isTTY === true, ...shown });
    }
    case 'json':
      return (await import('./json.ts')).jsonReporter(output);
    case 'stream-json':
      return (await import('./stream-json.ts')).streamJsonReporter(output);
    default:
      return format satisfies never;
  }
}
