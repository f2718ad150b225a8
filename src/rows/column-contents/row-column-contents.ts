import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ValueCheck } from '../../datagrids/column-type/checked';
import {
  ColumnContents,
  type ColumnTenant,
  type RowsAgainst,
  type StoredColumn,
  type ValueRule,
} from '../../datagrids/column/column-contents';
import { sumBatches } from './batch-sum';
import { MOST_EXAMPLES } from './examples';
import { RepeatedValueRepository } from './repeated-value.repository';
import { StoredValueRepository } from './stored-value.repository';
import { UniqueClaimRepository } from './unique-claim.repository';

/** For a glance, which somebody waits for: some millions of rows. */
const MOST_LOOKING_MS = 10_000;

/** What rows have to say to a column's change. Rows are read in batches: memory stays as it is. */
@Injectable()
export class RowColumnContents implements OnModuleInit, ColumnTenant {
  constructor(
    private readonly contents: ColumnContents,
    private readonly values: StoredValueRepository,
    private readonly claims: UniqueClaimRepository,
    private readonly repeated: RepeatedValueRepository,
  ) {}

  onModuleInit(): void {
    this.contents.register(this);
  }

  async countMissing(column: StoredColumn): Promise<number> {
    return sumBatches((afterId) => this.values.countMissing(column, afterId));
  }

  async countRefused(column: StoredColumn, check: ValueCheck): Promise<number> {
    return sumBatches(async (afterId) => {
      const rows = await this.values.read(column, afterId);
      const refused = rows.filter(({ value }) => value !== null && !fits(value, check));
      return { lastId: rows.at(-1)?.id ?? null, count: refused.length };
    });
  }

  async findRefused(column: StoredColumn, rule: ValueRule): Promise<RowsAgainst> {
    const deadlineMs = performance.now() + MOST_LOOKING_MS;
    const examples: { rowId: number; value: unknown }[] = [];
    let [checked, conflicting, afterId] = [0, 0, 0];
    while (performance.now() < deadlineMs) {
      const rows = await this.values.read(column, afterId);
      const last = rows.at(-1);
      if (!last) break;
      const refused = rows.filter(({ value }) => isRefused(value, rule));
      for (const { id, value } of refused.slice(0, MOST_EXAMPLES - examples.length)) {
        examples.push({ rowId: id, value });
      }
      checked += rows.length;
      conflicting += refused.length;
      afterId = last.id;
    }
    return { checked, conflicting, examples };
  }

  async findRepeated(accountId: string, column: StoredColumn): Promise<RowsAgainst> {
    return this.repeated.find(accountId, column);
  }

  async claimUnique(column: StoredColumn): Promise<number> {
    return sumBatches((afterId) => this.claims.claim(column, afterId));
  }

  async releaseUnique(column: StoredColumn): Promise<void> {
    await this.claims.release(column);
  }
}

function isRefused(value: unknown, { mayBeMissing, check }: ValueRule): boolean {
  if (value === null) return !mayBeMissing;
  return check !== null && !fits(value, check);
}

/** Whether a stored value is its own normal form. */
function fits(value: unknown, check: ValueCheck): boolean {
  const checked = check(value);
  return checked.ok && isDeepStrictEqual(checked.value, value);
}
