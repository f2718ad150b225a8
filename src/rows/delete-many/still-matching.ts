import { Injectable } from '@nestjs/common';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { AppConfig } from '../../platform/config/app-config';
import { QueryTimeoutError } from '../../platform/database/query-pool';
import type { Filter } from '../query/filter/parse-filter';
import { type FoundRows, MatchRepository } from './match.repository';

/** Maximum number of rows that one statement deletes, which bounds the memory of each step. */
const STEP_ROWS = 5_000;

/** Maximum total time for which a filter is applied to rows while the datagrid is locked. */
const MAX_RECHECK_MS = 1_000;

/** Selects the rows to delete. Use it in a transaction that holds the datagrid's lock. */
@Injectable()
export class StillMatching {
  constructor(
    private readonly config: AppConfig,
    private readonly matches: MatchRepository,
  ) {}

  /** Yields the ids of all rows. */
  async *everyRow(schema: DatagridSchema): AsyncGenerator<readonly number[]> {
    await this.matches.boundStatements(this.config.queryTimeoutMs);
    for (let afterId = 0; ;) {
      const ids = await this.matches.nextIds(schema, afterId, STEP_ROWS);
      const last = ids.at(-1);
      if (last === undefined) return;
      yield ids;
      afterId = last;
    }
  }

  /**
   * Yields the ids of the rows found, except those that were written since and no longer match.
   * @param revision Current revision of the datagrid.
   * @throws QueryTimeoutError, or a statement timeout, if so many rows were written that checking
   *   them exceeds MAX_RECHECK_MS.
   */
  async *stillMatching(
    schema: DatagridSchema,
    filter: Filter,
    found: FoundRows,
    revision: number,
  ): AsyncGenerator<readonly number[]> {
    const { queryTimeoutMs } = this.config;
    await this.matches.boundStatements(queryTimeoutMs);
    let leftMs = Math.min(MAX_RECHECK_MS, queryTimeoutMs);
    for (const ids of found.ids.chunks(STEP_ROWS)) {
      if (revision === found.revision) {
        yield ids;
        continue;
      }
      const present = await this.matches.present(schema, ids, found.revision);
      const changed = present.filter(({ isChanged }) => isChanged).map(({ id }) => id);
      const start = performance.now();
      const matching = new Set(await this.recheck(schema, changed, filter, leftMs));
      leftMs -= performance.now() - start;
      const left = present.filter(({ id, isChanged }) => !isChanged || matching.has(id));
      if (left.length > 0) yield left.map(({ id }) => id);
    }
  }

  private async recheck(
    schema: DatagridSchema,
    ids: readonly number[],
    filter: Filter,
    timeoutMs: number,
  ): Promise<number[]> {
    if (ids.length === 0) return [];
    if (timeoutMs < 1) throw new QueryTimeoutError('The matching rows keep changing.');
    await this.matches.boundStatements(Math.ceil(timeoutMs));
    const matching = await this.matches.matchingIds(schema, ids, filter);
    await this.matches.boundStatements(this.config.queryTimeoutMs);
    return matching;
  }
}
