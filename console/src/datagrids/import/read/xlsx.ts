import { importText } from '../../../text/import-text';
import { readNumber } from '../values/read-number';
import { FileRejectedError, type Cell, type CellFault, type SourceRecord } from './record';
import { isoMomentOf, momentOf, type NumberKind, PLAIN } from './workbook/number-format';
import { openWorkbook, type Workbook } from './workbook/workbook';
import { type Attributes, unescaped, xmlSlices } from './workbook/xml';

const t = importText.read;

/** Cells that a row of a worksheet can have. */
const MAX_CELLS = 16_384;

/** Returns the names of the worksheets of a workbook that are not hidden. */
export async function sheetNames(file: Blob): Promise<readonly string[]> {
  return (await openWorkbook(file)).sheets.map(({ name }) => name);
}

/** Reads all rows of a worksheet: the first one, unless another one is named. */
export async function readXlsx(file: Blob, name?: string): Promise<readonly SourceRecord[]> {
  const records: SourceRecord[] = [];
  for await (const record of xlsxRows(file, name)) records.push(record);
  return records;
}

/**
 * Reads the rows of a worksheet that have a value. Numbers are text, with the digits of the file.
 * Errors, and formulas without a value, are faults of their cells.
 * @throws FileRejectedError if the workbook is damaged or has no such worksheet.
 */
export async function* xlsxRows(file: Blob, name?: string): AsyncGenerator<SourceRecord> {
  const book = await openWorkbook(file);
  const sheet = name === undefined ? book.sheets[0] : book.sheets.find((one) => one.name === name);
  const bytes = sheet && book.bytesOf(sheet);
  if (!bytes) throw new FileRejectedError(t.noSheet);
  const reader = new SheetReader(book);
  for (const _slice of xmlSlices(bytes, reader)) yield* reader.take();
  yield* reader.take();
}

/** A cell while it is read. */
interface OpenCell {
  readonly at: number;
  readonly type: string;
  readonly style: number;
  /** Texts of the elements `v` and `t`, and of `f`. */
  value: string;
  formula: string | undefined;
  hasValue: boolean;
}

class SheetReader {
  private records: SourceRecord[] = [];
  private line = 0;
  private cells: Cell[] = [];
  private faults: Map<number, CellFault> | undefined;
  private column = -1;
  private cell: OpenCell | undefined;
  private reads: 'value' | 'formula' | undefined;
  private isPhonetic = false;

  constructor(private readonly book: Workbook) {}

  take(): readonly SourceRecord[] {
    const { records } = this;
    this.records = [];
    return records;
  }

  readonly open = (name: string, attributes: Attributes): void => {
    switch (name) {
      case 'row':
        // References are optional, as below.
        this.line = Number(attributes['r'] ?? this.line + 1);
        [this.cells, this.faults, this.column] = [[], undefined, -1];
        break;
      case 'c':
        this.openCell(attributes);
        break;
      case 'v':
      case 't':
        if (!this.cell || this.isPhonetic) break;
        this.reads = 'value';
        this.cell.hasValue = true;
        break;
      case 'f':
        if (!this.cell) break;
        this.reads = 'formula';
        this.cell.formula = '';
        break;
      case 'rPh':
        this.isPhonetic = true;
        break;
    }
  };

  readonly text = (text: string): void => {
    if (!this.cell || !this.reads) return;
    if (this.reads === 'value') this.cell.value += text;
    else this.cell.formula = (this.cell.formula ?? '') + text;
  };

  readonly close = (name: string): void => {
    if (name === 'v' || name === 't' || name === 'f') this.reads = undefined;
    else if (name === 'rPh') this.isPhonetic = false;
    else if (name === 'c') this.closeCell();
    else if (name === 'row' && this.cells.some((cell) => cell !== null)) {
      const { line, cells, faults } = this;
      this.records.push({ line, cells, ...(faults && { faults }) });
    }
  };

  private openCell({ r, t: type = 'n', s = '0' }: Attributes): void {
    const at = r === undefined ? this.column + 1 : columnOf(r);
    if (!(at < MAX_CELLS)) throw new FileRejectedError(t.workbookDamaged);
    this.column = at;
    const empty = { value: '', formula: undefined, hasValue: false };
    this.cell = { at, type, style: Number(s), ...empty };
  }

  private closeCell(): void {
    const { cell, cells } = this;
    this.cell = undefined;
    if (!cell) return;
    while (cells.length < cell.at) cells.push(null);
    const fault = faultOf(cell);
    if (fault) (this.faults ??= new Map()).set(cell.at, fault);
    cells[cell.at] = fault === 'formula' ? `=${cell.formula ?? ''}` : valueOf(cell, this.book);
  }
}

/** Returns the position of a column from 0 for a reference such as `AB12`; NaN if it is none. */
function columnOf(reference: string): number {
  const letters = /^\$?([A-Z]{1,3})\$?\d+$/i.exec(reference)?.[1] ?? '';
  const position = Array.from(letters.toUpperCase()).reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  );
  return position === 0 ? NaN : position - 1;
}

function faultOf({ type, value, formula, hasValue }: OpenCell): CellFault | undefined {
  if (type === 'e') return 'error';
  // An empty text is a value of a formula.
  const isEmpty = type === 'str' ? !hasValue : value.trim() === '';
  return formula !== undefined && isEmpty ? 'formula' : undefined;
}

function valueOf({ type, style, value }: OpenCell, book: Workbook): Cell {
  const kind = book.kinds[style] ?? PLAIN;
  switch (type) {
    case 's':
      return value === '' ? null : filled(sharedString(book.strings, value));
    case 'str':
    case 'inlineStr':
      return filled(unescaped(value));
    case 'b':
      return booleanOf(value.trim());
    case 'e':
      return filled(value.trim()) ?? '#';
    case 'd':
      return filled(isoMomentOf(value.trim(), kind));
    default:
      return filled(numberOf(value.trim(), kind, book.is1904));
  }
}

const filled = (text: string): Cell => (text === '' ? null : text);

function sharedString(strings: readonly string[], index: string): string {
  const text = strings[Number(index)];
  if (text === undefined) throw new FileRejectedError(t.workbookDamaged);
  return text;
}

const booleanOf = (value: string): Cell =>
  value === '1' ? 'true' : value === '0' ? 'false' : filled(value);

function numberOf(written: string, kind: NumberKind, is1904: boolean): string {
  const isShown = (kind.hasDate || kind.hasTime) && written !== '';
  return (isShown ? momentOf(Number(written), kind, is1904) : undefined) ?? digitsOf(written);
}

/**
 * Returns the digits of a number of a workbook. Excel writes the double 1.1 with 17 digits, as
 * 1.1000000000000001, and Gnumeric writes 0.1 with 21, as 0.100000000000000000001: such a number gets
 * the shortest digits of the same double. Other digits stay, and so does what is no number.
 */
function digitsOf(written: string): string {
  const whole = written.replace(/^([+-]?)\./, '$10.').replace(/(\d)\.(?=e|$)/i, '$1');
  const digits = readNumber(whole, '.');
  if (digits === undefined) return written;
  const double = Number(written);
  const shortest = readNumber(String(double), '.');
  if (shortest === undefined) return digits;
  const isOfExcel =
    digits.includes('.') && withoutZeros(double.toPrecision(17)) === withoutZeros(digits);
  return isOfExcel || isSameExtended(digits, shortest) ? shortest : digits;
}

const withoutZeros = (digits: string): string =>
  (readNumber(digits, '.') ?? digits).replace(/\.?0+$/, '');

/** Numbers with an extended precision of 64 bits are equal if they differ by less than this part. */
const EXTENDED_PART = 10n ** 19n;

function isSameExtended(digits: string, shortest: string): boolean {
  const significant = digits.replace(/^-?[0.]*/, '').replace('.', '').length;
  if (significant < 20) return false;
  const fractions = [digits, shortest].map((text) => text.split('.')[1] ?? '');
  const places = Math.max(...fractions.map(({ length }) => length));
  const [number = 0n, other = 0n] = [digits, shortest].map((text, at) =>
    BigInt(text.replace(/^-|\./g, '') + '0'.repeat(places - (fractions[at]?.length ?? 0))),
  );
  const difference = number < other ? other - number : number - other;
  return difference * EXTENDED_PART < number;
}
