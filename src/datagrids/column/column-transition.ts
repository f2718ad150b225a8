import { Injectable } from '@nestjs/common';
import type { FieldError } from '../../common/error/field-error';
import { needsCanonicalForm } from '../column-type/column-type';
import { holdsEveryValue } from '../column-type/type-change';
import { valueCheckFor } from '../column-type/value-check';
import { ColumnContents } from './column-contents';
import type { ColumnRecord, ColumnRemains } from './column-record';
import { refuseRowsAgainst, rowsAgainst, rowsWithoutValue } from './rows-against';

/** Holds a column's change against the values that are stored. */
@Injectable()
export class ColumnTransition {
  constructor(private readonly contents: ColumnContents) {}

  /**
   * Makes the stored values those of `after`, inside a transaction that holds the datagrid's
   * lock. Values are never converted: a type takes them as they stand, or the change is refused.
   * @throws AppError `conflict` saying how many rows stand against what.
   */
  async run(
    datagridId: string,
    before: ColumnRecord & ColumnRemains,
    after: ColumnRecord,
  ): Promise<void> {
    refuseRowsAgainst([
      ...(await this.missing(datagridId, before, after)),
      ...(await this.refused(datagridId, before, after)),
    ]);
    if (!claimsAnew(before, after)) return;
    const hasClaims = before.unique || before.claimsLeftAt !== null;
    if (hasClaims) await this.contents.releaseUnique({ ...before, datagridId });
    refuseRowsAgainst(await this.repeated(datagridId, after));
  }

  private async missing(
    datagridId: string,
    before: ColumnRecord,
    after: ColumnRecord,
  ): Promise<FieldError[]> {
    if (before.required || !after.required) return [];
    return rowsWithoutValue(await this.contents.countMissing({ ...before, datagridId }));
  }

  private async refused(
    datagridId: string,
    before: ColumnRecord,
    after: ColumnRecord,
  ): Promise<FieldError[]> {
    if (holdsEveryValue(before, after)) return [];
    const check = valueCheckFor(after.type, after.options);
    const count = await this.contents.countRefused({ ...before, datagridId }, check);
    return before.type === after.type
      ? rowsAgainst('options', count, 'holds a choice that would go', 'hold a choice that would go')
      : rowsAgainst('type', count, ...unfit(after));
  }

  private async repeated(datagridId: string, column: ColumnRecord): Promise<FieldError[]> {
    const count = await this.contents.claimUnique({ ...column, datagridId });
    return rowsAgainst(
      'unique',
      count,
      "repeats an earlier row's value",
      "repeat an earlier row's value",
    );
  }
}

/** Whether the stored values are to be held against one another. */
export function claimsAnew(before: ColumnRecord, after: ColumnRecord): boolean {
  const isAsBefore =
    before.unique === after.unique &&
    needsCanonicalForm(before.type) === needsCanonicalForm(after.type);
  return after.unique && !isAsBefore;
}

function unfit({ type }: ColumnRecord): [string, string] {
  const what = `a value that is not, as it stands, one of type ${type}`;
  return [`holds ${what}`, `hold ${what}`];
}
