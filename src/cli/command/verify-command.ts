import type { Command } from 'commander';
import type { Problem } from '../../verification/problem';
import { VerifyService } from '../../verification/verify.service';
import { runs, type Work } from '../admin-command';

const verify: Work<{ readonly repair?: boolean }> = async (app, { repair = false }) => {
  const report = await app.get(VerifyService).verify(repair);
  const { datagrids, repaired } = report;
  const problems = report.problems.map(printed);
  const lines = report.problems.map(
    (problem) =>
      `${problem.datagridId}: ${problem.message}${problem.repaired ? ' (repaired)' : ''}`,
  );
  const counts = [`${datagrids} datagrids`, `${problems.length} problems`, `${repaired} repaired`];
  return {
    json: { ok: report.ok, datagrids, problems, repaired },
    text: [...lines, counts.join(', ')].join('\n'),
    hasFailed: repaired < problems.length,
  };
};

function printed({ datagridId, kind, message, figures, repaired }: Problem): object {
  return { datagridId, kind, message, ...figures, repaired };
}

export function addVerifyCommand(program: Command): void {
  runs(
    program
      .command('verify')
      .description(
        'check the schema, and counters, gaps, indexes and unique values against the rows',
      )
      .option('--repair', 'repair problems, except duplicates and orphans'),
    verify,
    'exact',
  );
}
