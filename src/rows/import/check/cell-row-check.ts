import type { FieldError } from '../../../common/error/field-error';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import type { CsvRecord } from '../read/csv-reader';
import { RecordFault } from '../read/record';
import { BAD_BYTES } from '../read/utf8-text';
import { cellReader, type CellValue } from './cell-value';
import { refusedLine, type CheckedRow } from './checked-row';
import { printJson } from './json-text';
import type { RowRules } from './row-rules';

interface CellCheck {
  readonly key: string;
  /** The member's name and its colon. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly read: (cell: string) => CellValue;
}

/** Makes rows of records of CSV. An empty cell is no value. */
export class CellRowCheck {
  private readonly cells: readonly CellCheck[];

  /** @param columns What the cells of a record belong to, in order. */
  constructor(
    columns: readonly SchemaColumn[],
    private readonly rules: RowRules,
  ) {
    this.cells = columns.map((column) => {
      const name = `${JSON.stringify(column.slot)}:`;
      return { key: column.key, name, isRequired: rules.needs(column), read: cellReader(column) };
    });
  }

  check(record: CsvRecord): CheckedRow {
    const { line, nextLine, content } = record;
    if (content instanceof RecordFault) return refusedLine(record, content);
    if (content.length !== this.cells.length) {
      const message = `has ${String(content.length)} cells, and the header ${String(this.cells.length)}`;
      return refusedLine(record, new RecordFault('invalid_format', message));
    }
    let problems: FieldError[] | undefined;
    let json = '';
    for (let index = 0; index < content.length; index += 1) {
      const cell = content[index] ?? '';
      const column = this.cells[index];
      if (!column) continue;
      const printed = this.print(column, cell);
      if (typeof printed === 'object') (problems ??= []).push(printed);
      else if (printed !== '') json += (json === '' ? '' : ',') + column.name + printed;
    }
    if (problems) return { line, nextLine, json: '', problems };
    return this.rules.finished(line, nextLine, `{${json}}`);
  }

  /** A cell as JSON, empty for no value; or what is wrong with it. */
  private print({ key, isRequired, read }: CellCheck, cell: string): string | FieldError {
    if (cell === '') {
      return isRequired
        ? { field: key, code: 'required', message: 'must have a value' }
        : this.rules.noValue;
    }
    const found = UNSTORABLE.test(cell) ? badText(cell) : read(cell);
    if (!found.ok) return { field: key, code: found.code, message: found.message };
    return printJson(found.value);
  }
}

/** NUL, and what stands for bytes that are not UTF-8. */
const UNSTORABLE = new RegExp(`[\\0${BAD_BYTES}]`);

function badText(cell: string): CellValue {
  return cell.includes(BAD_BYTES)
    ? { ok: false, code: 'invalid_utf8', message: 'must be UTF-8' }
    : { ok: false, code: 'invalid_text', message: 'must not hold the NUL character' };
}
