import { Injectable } from '@nestjs/common';
import type { FieldError } from '../../common/error/app-error';
import type { Writer } from '../change-log/change-log-sql';
import { withOptionDefaults } from '../column-type/column-options';
import { COLUMN_TYPES, type ColumnType, ignoresCase, isComputed } from '../column-type/column-type';
import { holdsEveryValue } from '../column-type/type-change';
import type { ColumnOptions } from '../column-type/descriptor';
import {
  ColumnContents,
  rejectConflictingRows,
  conflictDetails,
  rowsWithoutValue,
  type StoredColumn,
  unconvertibleValues,
} from './column-contents';
import type { ColumnLeftovers, ColumnRecord } from './column-record';
import type { UpdateColumnDto } from './dto/column.dto';
import { previousKeysAfter } from './previous-key';

/** Checks a column's change against the stored values, or converts them. */
@Injectable()
export class ColumnTransition {
  constructor(private readonly contents: ColumnContents) {}

  /**
   * Checks that the stored values satisfy `after`, or converts them, and claims unique values. Runs
   * inside a transaction that holds the datagrid's lock.
   * @param isConverting Whether to convert the values. Otherwise the new type accepts them unchanged,
   *   or the change is rejected.
   * @throws AppError `conflict` with the number of conflicting rows for each reason; `rate_limited`
   *   or `unavailable` if too many such checks are running; as `ColumnHooks.convert`.
   */
  async run(
    { datagridId, ...author }: Writer & Pick<StoredColumn, 'datagridId'>,
    before: ColumnRecord & ColumnLeftovers,
    after: ColumnRecord,
    isConverting: boolean,
  ): Promise<void> {
    const { accountId } = author;
    const stored = { ...before, accountId, datagridId };
    rejectConflictingRows([
      ...(await this.missing(stored, after)),
      ...(isConverting
        ? await this.unconvertible(stored, after)
        : await this.rejected(stored, after)),
    ]);
    if (isConverting) await this.contents.hooks.convert(author, stored, after);
    if (!after.unique || !(isConverting || claimsAnew(before, after))) return;
    const hasClaims = before.unique || before.claimsLeftAt !== null;
    if (hasClaims) await this.contents.hooks.releaseUnique(stored);
    rejectConflictingRows(await this.repeated({ ...after, accountId, datagridId }));
  }

  private async missing(
    before: ColumnRecord & StoredColumn,
    after: ColumnRecord,
  ): Promise<FieldError[]> {
    if (before.required || !after.required) return [];
    return rowsWithoutValue(await this.contents.hooks.countMissing(before));
  }

  private async unconvertible(
    before: ColumnRecord & StoredColumn,
    after: ColumnRecord,
  ): Promise<FieldError[]> {
    if (!after.required) return [];
    const count = await this.contents.hooks.countUnconvertible(before, after);
    return unconvertibleValues(after.type, count);
  }

  private async rejected(
    before: ColumnRecord & StoredColumn,
    after: ColumnRecord,
  ): Promise<FieldError[]> {
    if (holdsEveryValue(before, after)) return [];
    const count = await this.contents.hooks.countRejected(before, after);
    return before.type === after.type
      ? conflictDetails(
          'options',
          count,
          'has a choice that would be removed',
          'have a choice that would be removed',
        )
      : conflictDetails('type', count, ...unfit(after));
  }

  private async repeated(column: StoredColumn): Promise<FieldError[]> {
    const count = await this.contents.hooks.claimUnique(column);
    return conflictDetails(
      'unique',
      count,
      'has the same value as an earlier row',
      'have the same value as an earlier row',
    );
  }
}

/** Returns whether the stored values must be claimed as unique anew. */
export function claimsAnew(before: ColumnRecord, after: ColumnRecord): boolean {
  const isAsBefore =
    before.unique === after.unique &&
    COLUMN_TYPES[before.type].isDecimalText === COLUMN_TYPES[after.type].isDecimalText &&
    ignoresCase(before) === ignoresCase(after);
  return after.unique && !isAsBefore;
}

function unfit({ type }: ColumnRecord): [string, string] {
  const what = `a value that is not valid for type ${type}`;
  return [`has ${what}`, `have ${what}`];
}

/** Returns whether a change converts stored values. */
export function converts(
  { convert = false }: UpdateColumnDto,
  before: ColumnRecord,
  after: ColumnRecord,
): boolean {
  return convert && !holdsEveryValue(before, after);
}

/** Returns a column after a change. Properties that the body omits keep their value. */
export function changedColumn(column: ColumnRecord, body: UpdateColumnDto): ColumnRecord {
  const type = body.type ?? column.type;
  return {
    ...column,
    key: body.key ?? column.key,
    // Requests do not name computed columns but in `fields`, which must be exact.
    previousKeys: isComputed(column.type)
      ? []
      : previousKeysAfter(
          column.previousKeys,
          column.key,
          body.key ?? column.key,
          body.releaseKeys,
        ),
    type,
    title: body.title ?? column.title,
    required: body.required ?? column.required,
    unique: body.unique ?? column.unique,
    indexed: body.indexed ?? column.indexed,
    options: withChoices(
      withOptionDefaults(type, body.options ?? optionsFor(column, type)),
      body.addChoices,
    ),
    defaultValue: body.defaultValue === undefined ? column.defaultValue : body.defaultValue,
    numberOffset: type === column.type ? (column.numberOffset ?? null) : null,
  };
}

/** Returns whether a change alters nothing that a client sees. */
export function isShownAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const shown = ({ title, indexed }: ColumnRecord): string => JSON.stringify([title, indexed]);
  return isCheckedAlike(before, after) && shown(before) === shown(after);
}

/**
 * Returns whether rows are checked, stored and looked up the same way before and after a change. If
 * so, writes in progress stay valid, for example after a change of the title, or of `indexed` on a
 * unique column, which has an index anyway.
 */
export function isCheckedAlike(before: ColumnRecord, after: ColumnRecord): boolean {
  const checked = ({
    key,
    previousKeys,
    type,
    required,
    unique,
    options,
    defaultValue,
    indexedTo,
  }: ColumnRecord): string =>
    JSON.stringify([key, previousKeys, type, required, unique, options, defaultValue, indexedTo]);
  return checked(before) === checked(after);
}

/** Adds choices at the end, except those that exist. What is no list is left to the check of options. */
function withChoices(options: ColumnOptions, added: readonly string[] = []): ColumnOptions {
  const { choices: sent = [] }: { readonly choices?: unknown } = options;
  if (added.length === 0 || !Array.isArray(sent)) return options;
  const choices: readonly string[] = sent;
  const existing = new Set(choices);
  return { ...options, choices: [...choices, ...added.filter((each) => !existing.has(each))] };
}

/** Returns the options that a column keeps with another type: choices, if both types have them. */
function optionsFor({ type: before, options }: ColumnRecord, type: ColumnType): ColumnOptions {
  if (type === before) return options;
  return COLUMN_TYPES[type].hasChoices && COLUMN_TYPES[before].hasChoices ? options : {};
}
