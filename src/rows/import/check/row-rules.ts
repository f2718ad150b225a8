import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { printedRowBytes } from '../../values/row-bytes';
import { RecordFault } from '../read/record';
import { NO_PROBLEMS, refusedLine, type CheckedRow } from './checked-row';

/** By how much the size that counts may exceed the length: 1e308 is counted with 309 digits. */
const MAX_EXPANSION = 80;

interface Rules {
  /** Keys of the columns that rows are matched by; `null` where rows are only created. */
  readonly matchOn: readonly string[] | null;
  readonly maxRowBytes: number;
}

/** What holds of an import's rows whatever they are written in. */
export class RowRules {
  /** What stands for a value that is cleared: nothing where there is none to be cleared. */
  readonly noValue: '' | 'null';
  private readonly matchOn: ReadonlySet<string>;
  private readonly limitBytes: number;

  constructor({ matchOn, maxRowBytes }: Rules) {
    this.matchOn = new Set(matchOn ?? []);
    this.noValue = matchOn ? 'null' : '';
    this.limitBytes = maxRowBytes;
  }

  /** Whether a row may not leave the column empty. */
  needs({ key, required }: SchemaColumn): boolean {
    return required || this.matchOn.has(key);
  }

  /** Whether a row must say what its value is: an upsert may leave what is there as it is. */
  mustName({ key, required }: SchemaColumn): boolean {
    return this.matchOn.has(key) || (required && this.noValue === '');
  }

  /** A row whose values were good, unless they are too large together. */
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
