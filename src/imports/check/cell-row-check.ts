import type { DetailCode, FieldError } from '../../common/error/app-error';
import type { DefaultedColumn, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import type { Encoding } from '../read/body-text';
import {
  BAD_BYTES,
  type BadByte,
  badByte,
  findBadByte,
  RecordFault,
  type SourceRecord,
} from '../../common/encoding/utf8-text';
import { cellReader, longCellReader, type CellValue, type LongCellReader } from './cell-value';
import {
  type CheckedRow,
  MAX_RECORD_PROBLEMS,
  MAX_RECORD_VALUES,
  printDefaults,
  printJson,
  type RecordCheck,
  rejectedLine,
  type RowRules,
} from './row-rules';

interface CellCheck {
  readonly key: string;
  /** The name of the stored member and a colon, as JSON. */
  readonly name: string;
  readonly isRequired: boolean;
  /** Whether the service sets the value, so that the cell is not read. */
  readonly isReadOnly: boolean;
  readonly read: (cell: string) => CellValue;
  /** Reads long cells in slices; `null` if the time for a cell depends only on its length. */
  readonly readLong: LongCellReader | null;
}

/** Cells of a record; `null` for no value. In a file, an empty cell is one, too. */
export type Cells = readonly (string | null)[];

/** Converts records of cells to rows: those of CSV files, and rows of a query's result. */
export class CellRowCheck implements RecordCheck<Cells> {
  private readonly cells: readonly (CellCheck | null)[];
  /**
   * Minimum number of cells of a record. Spreadsheets sometimes omit trailing empty cells, so cells
   * below trailing blank header cells may be missing.
   */
  private readonly minCells: number;
  /** Members of every stored row. */
  private readonly defaults: string;
  /** Cell without a value. */
  private readonly none: '' | null;

  /**
   * @param columns The columns of a record's cells, in order; `null` for a blank header cell.
   * @param encoding Encoding of the file; `null` for the result of a query, whose empty texts are
   *   values.
   * @param defaulted Columns that records have no cells for, and that get their default values.
   */
  constructor(
    columns: readonly (SchemaColumn | null)[],
    private readonly rules: RowRules,
    private readonly encoding: Encoding | null,
    defaulted: readonly DefaultedColumn[] = [],
  ) {
    this.defaults = printDefaults(defaulted);
    this.none = encoding === null ? null : '';
    this.minCells = columns.findLastIndex((column) => column !== null) + 1;
    this.cells = columns.map((column) => {
      if (!column) return null;
      const name = `${JSON.stringify(column.slot)}:`;
      const form = rules.formOf(column);
      const [read, readLong] = [cellReader(form), longCellReader(form)];
      const { key, isReadOnly } = column;
      return { key, name, isRequired: rules.needs(column), isReadOnly, read, readLong };
    });
  }

  check(record: SourceRecord<Cells>): CheckedRow {
    return this.checkCells(record, this.cells);
  }

  *checkInSlices(
    record: SourceRecord<Cells>,
    isDue: () => boolean,
  ): Generator<undefined, CheckedRow> {
    const { content } = record;
    const cells = [...this.cells];
    const budget = { values: MAX_RECORD_VALUES };
    if (!(content instanceof RecordFault)) {
      for (const [index, column] of this.cells.entries()) {
        const cell = content[index] ?? this.none;
        if (!column?.readLong || cell === null || cell === this.none || SUSPECT.test(cell))
          continue;
        const value = yield* column.readLong(cell, budget, isDue);
        cells[index] = { ...column, read: () => value };
      }
      // The remaining checks run in their own slice.
      yield;
    }
    return this.checkCells(record, cells);
  }

  private checkCells(
    record: SourceRecord<Cells>,
    cells: readonly (CellCheck | null)[],
  ): CheckedRow {
    const { line, nextLine, content } = record;
    if (content instanceof RecordFault) return rejectedLine(record, content);
    if (content.length > cells.length || content.length < this.minCells) {
      const count = content.length === 1 ? '1 cell' : `${String(content.length)} cells`;
      const message = `has ${count}, but the header has ${String(cells.length)}`;
      return rejectedLine(record, new RecordFault('invalid_format', message));
    }
    let problems: FieldError[] | undefined;
    let json = this.defaults;
    for (let index = 0; index < content.length; index += 1) {
      const cell = content[index] ?? this.none;
      const column = cells[index] ?? null;
      if (!column) {
        // The value would be lost.
        if (cell !== this.none && addProblem((problems ??= []), unnamed(index))) break;
        continue;
      }
      const printed = this.print(column, cell);
      if (typeof printed === 'object') {
        if (addProblem((problems ??= []), printed)) break;
      } else if (printed !== '') json += (json === '' ? '' : ',') + column.name + printed;
    }
    if (problems) return { line, nextLine, json: '', problems };
    return this.rules.finished(line, nextLine, `{${json}}`);
  }

  /** Prints a cell as JSON, or '' for no value. Returns a FieldError if the cell is invalid. */
  private print(
    { key, isRequired, isReadOnly, read }: CellCheck,
    cell: string | null,
  ): string | FieldError {
    if (isReadOnly) return '';
    if (cell === null || cell === this.none) {
      return isRequired
        ? { field: key, code: 'required', message: 'must have a value' }
        : this.rules.noValue;
    }
    const bad = SUSPECT.test(cell) ? badText(cell, this.encoding) : null;
    const found = bad ?? read(cell);
    if (!found.ok) return { field: key, code: found.code, message: found.message };
    return printJson(found.value);
  }
}

/**
 * Matches NUL and the markers of bad bytes. This is the cheapest test that most cells pass.
 */
const SUSPECT = new RegExp(`[\\0${badByte(0x80)}-${badByte(0xff)}${BAD_BYTES}]`);

function badText(cell: string, encoding: Encoding | null): CellValue | null {
  const found = findBadByte(cell);
  if (found) return { ok: false, ...badBytes(encoding, found) };
  if (!cell.includes('\0')) return null;
  return { ok: false, code: 'invalid_text', message: 'must not contain the NUL character' };
}

/** Returns the error for a byte that is invalid in an encoding. */
export function badBytes(
  encoding: Encoding | null,
  { character, byte }: BadByte,
): { code: DetailCode; message: string } {
  const place = `${byte === null ? '' : `${byte} `}at character ${String(character)}`;
  if (encoding === null) {
    const message = `contains bytes that are not valid utf-8 (${place})`;
    return { code: 'invalid_utf8', message };
  }
  const code = encoding === 'utf-8' ? 'invalid_utf8' : 'invalid_text';
  const other = encoding === 'utf-8' ? ', such as encoding=windows-1252' : '';
  const message = `contains bytes that are not valid ${encoding} (${place}); send the encoding of the file${other}`;
  return { code, message };
}

/** Adds a problem. @returns whether the record has so many problems that its check stops. */
function addProblem(problems: FieldError[], problem: FieldError): boolean {
  return problems.push(problem) >= MAX_RECORD_PROBLEMS;
}

/** Returns the error for a value below a blank header cell. */
function unnamed(index: number): FieldError {
  const message = `cell ${String(index + 1)} has a value, but the header has no column for it`;
  return { field: 'line', code: 'unknown_column', message };
}
