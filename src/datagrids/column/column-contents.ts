import { Injectable } from '@nestjs/common';
import type { ColumnType } from '../column-type/column-type';
import type { TypeRules } from '../column-type/type-change';

/** Whose a column is, where its values are stored, and what they are. */
export interface StoredColumn {
  readonly accountId: string;
  readonly datagridId: string;
  readonly id: number;
  readonly slot: string;
  readonly type: ColumnType;
}

/** What a column's values are to be. */
export interface ValueRule {
  readonly mayBeMissing: boolean;
  /** What they are to be values of; `null` where any value will do. */
  readonly type: TypeRules | null;
}

/** Rows that conflict with something, as far as was looked. */
export interface RowsAgainst {
  /** Rows that were looked at. */
  readonly checked: number;
  readonly conflicting: number;
  /** The first few. */
  readonly examples: readonly {
    readonly rowId: number;
    /** `null` where the row has none; of a long one the beginning, as text. */
    readonly value: unknown;
  }[];
}

/**
 * What holds values of columns. What changes something works inside the caller's transaction and
 * lock. An account's looks at many values are bounded: @throws AppError `rate_limited`, or
 * `unavailable` where there is no place for a look at all.
 */
export interface ColumnHooks {
  /** How many rows have no value in the column. */
  countMissing(column: StoredColumn): Promise<number>;
  /** How many rows hold a value that `type` refuses or would store in another form. */
  countRefused(column: StoredColumn, type: TypeRules): Promise<number>;
  /**
   * Makes the values unique from now on.
   * @returns how many rows have the same value as an earlier row: where any do, nothing may be committed.
   */
  claimUnique(column: StoredColumn): Promise<number>;
  /** Forgets which values are taken. */
  releaseUnique(column: StoredColumn): Promise<void>;
  /** Looks, without a lock and for some seconds, for rows whose value `rule` refuses. */
  findRefused(column: StoredColumn, rule: ValueRule): Promise<RowsAgainst>;
  /**
   * Looks, without a lock, for rows that repeat an earlier one's value.
   * @throws AppError `query_too_expensive`
   */
  findRepeated(column: StoredColumn): Promise<RowsAgainst>;
}

/**
 * Lets the modules that hold values have their say in a column's change without being known
 * here: imports go one way.
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
