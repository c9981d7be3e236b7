import type { Reporter } from './reporter.ts';
import type { Output } from './stdout.ts';

/** One JSON object at the end and nothing else. */
export function jsonReporter(output: Output): Reporter {
  return {
    event: () => undefined,
    async finish({ tally, view, exitCode }) {
      const { turn, text, denials, startedAt, endedAt, failure } = tally;
      const result = {
        session: view.session,
        outcome: turn?.outcome ?? null,
        message: turn?.message ?? null,
        text,
        result: turn?.result ?? null,
        ...(turn?.loop !== undefined && { loop: turn.loop }),
        origin: view.origin,
        metadata: view.metadata,
        model: view.model,
        cwd: view.cwd,
        steps: turn?.steps ?? 0,
        usage: turn?.usage ?? null,
        costUsd: turn === null ? null : turn.costUsd,
        durationMs: startedAt === null || endedAt === null ? null : endedAt - startedAt,
        failure,
        denials,
        unattendedDenials: turn?.unattendedDenials ?? 0,
        context: view.context,
        exitCode,
      };
      await output.write(`${JSON.stringify(result)}\n`);
    },
  };
}
