import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { printedRowBytes } from '../../values/row-bytes';
import { RecordFault } from '../read/record';
import { NO_PROBLEMS, refusedLine, type CheckedRow } from './checked-row';

/** Upper bound of the ratio of the size that counts to the length: 1e308 counts as 309 digits. */
const MAX_EXPANSION = 80;

interface Rules {
  /** Keys of the columns that rows are matched by; `null` if rows are only created. */
  readonly matchOn: readonly string[] | null;
  readonly maxRowBytes: number;
}

/** Rules for the rows of an import that apply to every file format. */
export class RowRules {
  /**
   * JSON for a value that is cleared; '' if the import clears no values, because it only creates
   * rows.
   */
  readonly noValue: '' | 'null';
  private readonly matchOn: ReadonlySet<string>;
  private readonly limitBytes: number;

  constructor({ matchOn, maxRowBytes }: Rules) {
    this.matchOn = new Set(matchOn ?? []);
    this.noValue = matchOn ? 'null' : '';
    this.limitBytes = maxRowBytes;
  }

  /** Whether a row must have a value in the column. */
  needs({ key, required }: SchemaColumn): boolean {
    return required || this.matchOn.has(key);
  }

  /**
   * Whether a row must contain the column. An upsert may omit a required column and leave its value
   * unchanged.
   */
  mustName({ key, required }: SchemaColumn): boolean {
    return this.matchOn.has(key) || (required && this.noValue === '');
  }

  /** Returns the row of valid values, or a rejected row if the values are too large together. */
  finished(line: number, nextLine: number, json: string): CheckedRow {
    if (json.length * MAX_EXPANSION > this.limitBytes) {
      const bytes = printedRowBytes(json);
      if (bytes > this.limitBytes) {
        const message = `has ${String(bytes)} bytes of values; the maximum is ${String(this.limitBytes)}`;
        return refusedLine({ line, nextLine }, new RecordFault('too_large', message));
      }
    }
    return { line, nextLine, json, problems: NO_PROBLEMS };
  }
}
