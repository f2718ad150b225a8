import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import { isUnavailable } from '../platform/database/database-error';
import { ChangeLogCheckRepository } from './change-log-check.repository';
import { CounterCheckRepository } from './counter-check.repository';
import { DatagridListRepository } from './datagrid-list.repository';
import { GapCheckRepository } from './gap-check.repository';
import { IndexCheckRepository } from './index-check.repository';
import { LinkCheckRepository } from './link-check.repository';
import type { Check, Finding, Problem, VerifyReport } from './problem';
import { UniqueCheckRepository } from './unique-check.repository';

/**
 * Checks the data that is stored in addition to the rows to speed up reads and writes. Compares it
 * with the rows.
 */
@Injectable()
export class VerifyService {
  private readonly checks: readonly Check[];

  constructor(
    private readonly database: Database,
    private readonly datagrids: DatagridListRepository,
    private readonly counters: CounterCheckRepository,
    changeLog: ChangeLogCheckRepository,
    gaps: GapCheckRepository,
    uniques: UniqueCheckRepository,
    indexes: IndexCheckRepository,
    links: LinkCheckRepository,
  ) {
    // In the order in which repairs run: the repair of the counter raises the revision, and the
    // repair of gaps uses its last id.
    this.checks = [counters, changeLog, gaps, uniques, indexes, links];
  }

  /**
   * Checks every datagrid without blocking concurrent writes. With `repair`, repairs the problems
   * it finds, each datagrid in one transaction that holds its lock. Memory use grows only with the
   * number of reported problems.
   */
  async verify(repair: boolean): Promise<VerifyReport> {
    const problems: Problem[] = [];
    let datagrids = 0;
    for await (const datagridId of this.datagrids.ids()) {
      datagrids += 1;
      problems.push(...(await this.verifyOne(datagridId, repair)));
    }
    problems.push(...(await this.listOrphans()));
    const repaired = problems.filter((problem) => problem.repaired).length;
    return { ok: problems.length === 0, datagrids, problems, repaired };
  }

  private async verifyOne(datagridId: string, repair: boolean): Promise<Problem[]> {
    try {
      const findings = await this.find(datagridId);
      if (repair && findings.length > 0) return await this.repair(datagridId);
      return findings.map((finding) => ({ datagridId, ...finding, repaired: false }));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // For example, a stored value does not have its column's type. The other datagrids are still
      // checked.
      const message = `could not be checked: ${error instanceof Error ? error.message : ''}`;
      return [{ datagridId, kind: 'check_failed', message, figures: {}, repaired: false }];
    }
  }

  private async find(datagridId: string): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (const check of this.checks) findings.push(...(await check.find(datagridId)));
    return findings;
  }

  private repair(datagridId: string): Promise<Problem[]> {
    return this.database.transaction(async () => {
      await this.counters.lock(datagridId);
      const findings = await this.find(datagridId);
      if (findings.length === 0) return [];
      for (const check of this.checks) await check.repair(datagridId);
      const left = await this.find(datagridId);
      return findings.map((finding) => {
        const repaired = !left.some((other) => isSame(other, finding));
        return { datagridId, ...finding, repaired };
      });
    });
  }

  /**
   * Orphans are reported but not repaired: they may be the only data left of a datagrid that was
   * deleted by mistake.
   */
  private async listOrphans(): Promise<Problem[]> {
    const orphans = await this.datagrids.orphans();
    return orphans.map(({ datagridId, table }) => {
      const message = `${table} has data of a datagrid that does not exist`;
      return { datagridId, kind: 'orphan', message, figures: { table }, repaired: false };
    });
  }
}

function isSame(one: Finding, other: Finding): boolean {
  return one.kind === other.kind && one.figures['columnId'] === other.figures['columnId'];
}
