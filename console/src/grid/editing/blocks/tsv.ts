import { quotedCell } from '../../../datagrids/quoted-cell';

/** Rows of cells, as texts. */
export type Block = readonly (readonly string[])[];

const NEEDS_QUOTES = /[\t\n\r"]/;

/**
 * Prints cells as spreadsheets copy them: columns are separated by tabs, rows by line feeds, and a
 * cell with a tab, a line end or a quote is quoted.
 */
export function printTsv(block: Block): string {
  return block
    .map((cells, row) => {
      // An empty last line would be read as the end of the line before.
      if (row > 0 && row === block.length - 1 && cells.length === 1 && cells[0] === '') return '""';
      return cells.map(printCell).join('\t');
    })
    .join('\n');
}

function printCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? quotedCell(text) : text;
}

/** Reads cells that a spreadsheet copied. One line end at the end of the text is ignored. */
export function parseTsv(text: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  for (;;) {
    const { value, end } = readCell(text, at);
    cells.push(value);
    at = end;
    if (text[at] === '\t') {
      at += 1;
      continue;
    }
    rows.push(cells);
    cells = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (at >= text.length) return rows;
  }
}

interface ReadCell {
  readonly value: string;
  /** Index of the separator after the cell, or the length of the text. */
  readonly end: number;
}

function readCell(text: string, from: number): ReadCell {
  if (text[from] === '"') {
    const quoted = readQuoted(text, from + 1);
    if (quoted) return quoted;
  }
  const end = endOfPlain(text, from);
  return { value: text.slice(from, end), end };
}

/** Returns `undefined` if the quote is only the first letter of a plain text. */
function readQuoted(text: string, from: number): ReadCell | undefined {
  let at = from;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return undefined;
    if (text[quote + 1] !== '"') {
      const end = quote + 1;
      const isEnd = end === text.length || /[\t\r\n]/.test(text.charAt(end));
      return isEnd ? { value: text.slice(from, quote).replaceAll('""', '"'), end } : undefined;
    }
    at = quote + 2;
  }
}

function endOfPlain(text: string, from: number): number {
  const match = /[\t\r\n]/g;
  match.lastIndex = from;
  return match.exec(text)?.index ?? text.length;
}
