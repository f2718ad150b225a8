import { Injectable } from '@nestjs/common';
import type { ColumnType } from '../column-type/column-type';
import type { TypeRules } from '../column-type/type-change';

/** Owner, storage location and type of a column. */
export interface StoredColumn {
  readonly accountId: string;
  readonly datagridId: string;
  readonly id: number;
  readonly slot: string;
  readonly type: ColumnType;
}

/** Requirements for the values of a column. */
export interface ValueRule {
  readonly mayBeMissing: boolean;
  /** Type that the values must have; `null` if any value is allowed. */
  readonly type: TypeRules | null;
}

/** Rows that conflict with a change, among those that were checked. */
export interface RowsAgainst {
  /** Number of rows checked. */
  readonly checked: number;
  readonly conflicting: number;
  /** The first few conflicting rows. */
  readonly examples: readonly {
    readonly rowId: number;
    /** `null` if the row has no value. A long value is truncated, as text. */
    readonly value: unknown;
  }[];
}

/**
 * Hooks of modules that store the values of columns. Methods that change data run inside the
 * caller's transaction and lock. The number of concurrent scans is limited, in total and per
 * account.
 * @throws AppError `rate_limited` or `unavailable` if too many scans are running.
 */
export interface ColumnHooks {
  /** Returns the number of rows without a value in the column. */
  countMissing(column: StoredColumn): Promise<number>;
  /** Returns the number of rows whose value `type` rejects or would store in another form. */
  countRefused(column: StoredColumn, type: TypeRules): Promise<number>;
  /**
   * Makes the values unique from now on.
   * @returns the number of rows with the same value as an earlier row. If it is not 0, the
   *   transaction must not commit.
   */
  claimUnique(column: StoredColumn): Promise<number>;
  /** Deletes the claims on the column's unique values. */
  releaseUnique(column: StoredColumn): Promise<void>;
  /** Finds rows whose value `rule` rejects. Takes no lock and stops after a few seconds. */
  findRefused(column: StoredColumn, rule: ValueRule): Promise<RowsAgainst>;
  /**
   * Finds rows with the same value as an earlier row. Takes no lock.
   * @throws AppError `query_too_expensive`
   */
  findRepeated(column: StoredColumn): Promise<RowsAgainst>;
}

/**
 * Calls the hooks of modules that store values when a column changes. Those modules import this
 * one, not the reverse.
 */
@Injectable()
export class ColumnContents implements ColumnHooks {
  private readonly hooks: ColumnHooks[] = [];

  register(hook: ColumnHooks): void {
    this.hooks.push(hook);
  }

  async countMissing(column: StoredColumn): Promise<number> {
    return this.sum((hook) => hook.countMissing(column));
  }

  async countRefused(column: StoredColumn, type: TypeRules): Promise<number> {
    return this.sum((hook) => hook.countRefused(column, type));
  }

  async claimUnique(column: StoredColumn): Promise<number> {
    return this.sum((hook) => hook.claimUnique(column));
  }

  async releaseUnique(column: StoredColumn): Promise<void> {
    for (const hook of this.hooks) await hook.releaseUnique(column);
  }

  async findRefused(column: StoredColumn, rule: ValueRule): Promise<RowsAgainst> {
    return this.gather((hook) => hook.findRefused(column, rule));
  }

  async findRepeated(column: StoredColumn): Promise<RowsAgainst> {
    return this.gather((hook) => hook.findRepeated(column));
  }

  private async gather(find: (hook: ColumnHooks) => Promise<RowsAgainst>): Promise<RowsAgainst> {
    const found = await Promise.all(this.hooks.map(find));
    const sum = (name: 'checked' | 'conflicting'): number =>
      found.reduce((total, each) => total + each[name], 0);
    return {
      checked: sum('checked'),
      conflicting: sum('conflicting'),
      examples: found.flatMap(({ examples }) => examples),
    };
  }

  private async sum(count: (hook: ColumnHooks) => Promise<number>): Promise<number> {
    let total = 0;
    for (const hook of this.hooks) total += await count(hook);
    return total;
  }
}
