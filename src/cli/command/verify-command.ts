import type { Command } from 'commander';
import type { Problem } from '../../rows/verify/problem';
import { VerifyService } from '../../rows/verify/verify.service';
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
      .description('check counters, gaps and unique values against the rows; never makes a schema')
      .option('--repair', 'repair problems; duplicates and orphans are only reported'),
    verify,
    'exact',
  );
}
