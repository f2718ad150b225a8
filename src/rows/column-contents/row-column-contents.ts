import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ValueCheck } from '../../datagrids/column-type/checked';
import {
  ColumnContents,
  type ColumnTenant,
  type StoredColumn,
} from '../../datagrids/column/column-contents';
import { sumBatches } from './batch-sum';
import { StoredValueRepository } from './stored-value.repository';
import { UniqueClaimRepository } from './unique-claim.repository';

/** What rows have to say to a column's change. Rows are read in batches: memory stays as it is. */
@Injectable()
export class RowColumnContents implements OnModuleInit, ColumnTenant {
  constructor(
    private readonly contents: ColumnContents,
    private readonly values: StoredValueRepository,
    private readonly claims: UniqueClaimRepository,
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

  async claimUnique(column: StoredColumn): Promise<number> {
    return sumBatches((afterId) => this.claims.claim(column, afterId));
  }

  async releaseUnique(column: StoredColumn): Promise<void> {
    await this.claims.release(column);
  }
}

/** Whether a stored value is its own normal form. */
function fits(value: unknown, check: ValueCheck): boolean {
  const checked = check(value);
  return checked.ok && isDeepStrictEqual(checked.value, value);
}
