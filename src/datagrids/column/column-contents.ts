import { Injectable } from '@nestjs/common';
import type { ValueCheck } from '../column-type/checked';
import type { ColumnType } from '../column-type/column-type';

/** Where a column's values are stored, and what they are. */
export interface StoredColumn {
  readonly datagridId: string;
  readonly id: number;
  readonly slot: string;
  readonly type: ColumnType;
}

/** What holds values of columns. All of it works inside the caller's transaction and lock. */
export interface ColumnTenant {
  /** How many rows have no value in the column. */
  countMissing(column: StoredColumn): Promise<number>;
  /** How many rows hold a value that `check` refuses or would store in another form. */
  countRefused(column: StoredColumn, check: ValueCheck): Promise<number>;
  /**
   * Makes the values unique from now on.
   * @returns how many rows repeat an earlier row's value: where any do, nothing may be committed.
   */
  claimUnique(column: StoredColumn): Promise<number>;
  /** Forgets which values are taken. */
  releaseUnique(column: StoredColumn): Promise<void>;
}

/**
 * Lets the modules that hold values have their say in a column's change without being known
 * here: imports go one way.
 */
@Injectable()
export class ColumnContents implements ColumnTenant {
  private readonly tenants: ColumnTenant[] = [];

  register(tenant: ColumnTenant): void {
    this.tenants.push(tenant);
  }

  async countMissing(column: StoredColumn): Promise<number> {
    return this.sum((tenant) => tenant.countMissing(column));
  }

  async countRefused(column: StoredColumn, check: ValueCheck): Promise<number> {
    return this.sum((tenant) => tenant.countRefused(column, check));
  }

  async claimUnique(column: StoredColumn): Promise<number> {
    return this.sum((tenant) => tenant.claimUnique(column));
  }

  async releaseUnique(column: StoredColumn): Promise<void> {
    for (const tenant of this.tenants) await tenant.releaseUnique(column);
  }

  private async sum(count: (tenant: ColumnTenant) => Promise<number>): Promise<number> {
    let total = 0;
    for (const tenant of this.tenants) total += await count(tenant);
    return total;
  }
}
