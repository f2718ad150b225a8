import type { FieldError } from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import { accept, type Checked, reject } from '../../datagrids/column-type/descriptor';
import { MAX_LINKS } from '../../datagrids/column-type/value-check';
import type { DefaultedColumn, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { runInSlices } from '../../platform/fairness/event-loop-turns';
import { printedRowBytes } from '../../rows/values/row-bytes';
import type { LinkKey } from '../../rows/link/link-key';
import { RecordFault, type SourceRecord } from '../../common/encoding/utf8-text';

/** Upper bound of the ratio of the size that counts to the length: 1e308 counts as 309 digits. */
const MAX_EXPANSION = 80;

interface Rules {
  /** Keys of the columns that rows are matched by; `null` if rows are only created. */
  readonly matchOn: readonly string[] | null;
  readonly maxRowBytes: number;
  /** Link columns whose values are keys of linked rows. */
  readonly linkKeys?: readonly LinkKey[];
  /** Whether values that the service sets are left out instead of rejected. */
  readonly ignoresReadOnly: boolean;
}

/** How the values of a column are read. */
export type ValueForm = Pick<SchemaColumn, 'type' | 'check'>;

/** Rules for the rows of an import that apply to every file format. */
export class RowRules {
  /**
   * JSON for a value that is cleared; '' if the import clears no values, because it only creates
   * rows.
   */
  readonly noValue: '' | 'null';
  private readonly matchOn: ReadonlySet<string>;
  private readonly limitBytes: number;
  readonly ignoresReadOnly: boolean;
  /** Forms of link columns whose values are keys, by the id of the column. */
  private readonly keyForms: ReadonlyMap<number, ValueForm>;

  constructor({ matchOn, maxRowBytes, ignoresReadOnly, linkKeys = [] }: Rules) {
    this.ignoresReadOnly = ignoresReadOnly;
    this.keyForms = new Map(linkKeys.map((linkKey) => [linkKey.column.id, keyForm(linkKey)]));
    this.matchOn = new Set(matchOn ?? []);
    this.noValue = matchOn ? 'null' : '';
    this.limitBytes = maxRowBytes;
  }

  /** Returns how the values of a column are read: as keys, if they are keys of linked rows. */
  formOf(column: SchemaColumn): ValueForm {
    return this.keyForms.get(column.id) ?? column;
  }

  /** Returns whether a row must have a value in the column. */
  needs({ key, required }: SchemaColumn): boolean {
    return required || this.matchOn.has(key);
  }

  /**
   * Returns whether a row must contain the column. An upsert may omit a required column and leave
   * its value unchanged.
   */
  mustName({ key, required, defaultValue }: SchemaColumn): boolean {
    return this.matchOn.has(key) || (required && defaultValue === null && this.noValue === '');
  }

  /** Returns the row of valid values, or a rejected row if the values are too large together. */
  finished(line: number, nextLine: number, json: string): CheckedRow {
    if (json.length * MAX_EXPANSION > this.limitBytes) {
      const bytes = printedRowBytes(json);
      if (bytes > this.limitBytes) {
        const message = `has ${String(bytes)} bytes of values; the maximum is ${String(this.limitBytes)}`;
        return rejectedLine({ line, nextLine }, new RecordFault('too_large', message));
      }
    }
    return { line, nextLine, json, problems: NO_PROBLEMS };
  }
}

/** Returns how keys of linked rows are read: as values of their column, or as an array of these. */
function keyForm({ column, target }: LinkKey): ValueForm {
  if (column.type === 'link') return target;
  return { type: column.type, check: (value) => checkKeys(value, target) };
}

function checkKeys(value: unknown, { check }: SchemaColumn): Checked {
  if (!Array.isArray(value)) return reject('wrong_type', 'must be an array of keys of rows');
  if (value.length > MAX_LINKS) return reject('out_of_range', 'must contain at most 200 keys');
  const keys: JsonValue[] = [];
  for (const key of value as unknown[]) {
    if (key === null) return reject('wrong_type', 'must be an array of keys of rows');
    const checked = check(key);
    if (!checked.ok) return checked;
    keys.push(checked.value);
  }
  return accept(keys);
}

/** Converts records of one format to rows. */
export interface RecordCheck<Content> {
  check(record: SourceRecord<Content>): CheckedRow;
  /** Like `check`, but yields whenever `isDue` returns true. */
  checkInSlices(
    record: SourceRecord<Content>,
    isDue: () => boolean,
  ): Generator<undefined, CheckedRow>;
}

/** Length above which a record is checked in slices, in UTF-16 code units or bytes. */
const LONG_RECORD = 64 * 1024;

/**
 * Checks records: long ones in slices, and short ones lazily. The caller must therefore read all
 * rows of one batch before it requests the next batch.
 */
export async function* checkedRows<Content>(
  accountId: string,
  check: RecordCheck<Content>,
  records: Iterable<SourceRecord<Content>>,
): AsyncGenerator<CheckedRows> {
  const iterator = records[Symbol.iterator]();
  const long: SourceRecord<Content>[] = [];
  for (;;) {
    yield untilLong(check, iterator, long);
    const record = long.pop();
    if (!record) return;
    yield [await runInSlices(accountId, (isDue) => check.checkInSlices(record, isDue))];
  }
}

/**
 * Checks records up to the first long one, which it adds to `long`. It is not a closure, because
 * each generator function that is created keeps the variables it captures alive until the next full
 * garbage collection.
 */
function* untilLong<Content>(
  check: RecordCheck<Content>,
  records: Iterator<SourceRecord<Content>>,
  long: SourceRecord<Content>[],
): Generator<CheckedRow> {
  for (let next = records.next(); next.done !== true; next = records.next()) {
    if (next.value.length > LONG_RECORD) {
      long.push(next.value);
      return;
    }
    yield check.check(next.value);
  }
}

/** Prints default values as members of a stored row; '' for none. */
export function printDefaults(columns: readonly DefaultedColumn[]): string {
  return columns
    .map(({ slot, defaultValue }) => `${JSON.stringify(slot)}:${printJson(defaultValue)}`)
    .join(',');
}

/** A record of a body, checked against the columns. */
export interface CheckedRow {
  /** The line on which the record starts in the body, from 1. */
  readonly line: number;
  /** The line after the record. */
  readonly nextLine: number;
  /**
   * Values by slot as JSON text, with `null` for a value that is cleared; empty if there are
   * problems.
   */
  readonly json: string;
  /** Fields are column keys, or `line` for a problem of the whole line. */
  readonly problems: readonly FieldError[];
}

/** Rows of records that arrived together. They are checked lazily, as the iterator is read. */
export type CheckedRows = Iterable<CheckedRow>;

const NO_PROBLEMS: readonly FieldError[] = [];

/** Number of problems after which the check of a record stops. A report lists fewer. */
export const MAX_RECORD_PROBLEMS = 100;

/**
 * Maximum number of JSON values in one long record. The checks after parsing run in one turn of the
 * event loop.
 */
export const MAX_RECORD_VALUES = 100_000;

interface LineRange {
  readonly line: number;
  readonly nextLine: number;
}

/** Returns the row of a record that is rejected as a whole. */
export function rejectedLine(
  { line, nextLine }: LineRange,
  { code, message }: RecordFault,
): CheckedRow {
  return { line, nextLine, json: '', problems: [{ field: 'line', code, message }] };
}

/**
 * Matches characters that may need escaping in a JSON string. Surrogates match only if they are
 * lone.
 */
const SPECIAL = /["\\\p{Cc}\p{Cs}]/u;

/**
 * Prints a value as JSON. Most texts need no escaping, and testing for that is cheaper than
 * escaping.
 */
export function printJson(value: JsonValue): string {
  if (typeof value === 'string') return SPECIAL.test(value) ? JSON.stringify(value) : `"${value}"`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
