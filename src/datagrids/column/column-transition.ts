import { Injectable } from '@nestjs/common';
import type { FieldError } from '../../common/error/field-error';
import { needsCanonicalForm } from '../column-type/column-type';
import { holdsEveryValue } from '../column-type/type-change';
import { ColumnContents, type StoredColumn } from './column-contents';
import type { ColumnRecord, ColumnLeftovers } from './column-record';
import { refuseRowsAgainst, rowsAgainst, rowsWithoutValue } from './rows-against';

/** Checks a column's change against the stored values. */
@Injectable()
export class ColumnTransition {
  constructor(private readonly contents: ColumnContents) {}

  /**
   * Checks that the stored values satisfy `after`, and claims unique values. Runs inside a
   * transaction that holds the datagrid's lock. Values are never converted: the new type accepts
   * them unchanged, or the change is rejected.
   * @throws AppError `conflict` with the number of conflicting rows for each reason; `rate_limited`
   *   or `unavailable` if too many such checks are running.
   */
  async run(
    { accountId, datagridId }: Pick<StoredColumn, 'accountId' | 'datagridId'>,
    before: ColumnRecord & ColumnLeftovers,
    after: ColumnRecord,
  ): Promise<void> {
    const stored = { ...before, accountId, datagridId };
    refuseRowsAgainst([
      ...(await this.missing(stored, after)),
      ...(await this.refused(stored, after)),
    ]);
    if (!claimsAnew(before, after)) return;
    const hasClaims = before.unique || before.claimsLeftAt !== null;
    if (hasClaims) await this.contents.releaseUnique(stored);
    refuseRowsAgainst(await this.repeated({ ...after, accountId, datagridId }));
  }

  private async missing(
    before: ColumnRecord & StoredColumn,
    after: ColumnRecord,
  ): Promise<FieldError[]> {
    if (before.required || !after.required) return [];
    return rowsWithoutValue(await this.contents.countMissing(before));
  }

  private async refused(
    before: ColumnRecord & StoredColumn,
    after: ColumnRecord,
  ): Promise<FieldError[]> {
    if (holdsEveryValue(before, after)) return [];
    const count = await this.contents.countRefused(before, after);
    return before.type === after.type
      ? rowsAgainst(
          'options',
          count,
          'has a choice that would be removed',
          'have a choice that would be removed',
        )
      : rowsAgainst('type', count, ...unfit(after));
  }

  private async repeated(column: StoredColumn): Promise<FieldError[]> {
    const count = await this.contents.claimUnique(column);
    return rowsAgainst(
      'unique',
      count,
      'has the same value as an earlier row',
      'have the same value as an earlier row',
    );
  }
}

/** Whether the stored values must be claimed as unique anew. */
export function claimsAnew(before: ColumnRecord, after: ColumnRecord): boolean {
  const isAsBefore =
    before.unique === after.unique &&
    needsCanonicalForm(before.type) === needsCanonicalForm(after.type);
  return after.unique && !isAsBefore;
}

function unfit({ type }: ColumnRecord): [string, string] {
  const what = `a value that is not valid for type ${type}`;
  return [`has ${what}`, `have ${what}`];
}
