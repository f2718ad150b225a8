import { RecordFault } from './record';

export interface QuotedRecord {
  readonly content: readonly string[] | RecordFault;
  /** Lines that it stands on. */
  readonly lines: number;
  /** Index of what follows it. */
  readonly end: number;
}

/** The cell that begins at an index, and the index of what follows it. */
interface Cell {
  readonly value: string;
  readonly end: number;
}

/** Reads the record that begins at `from`, where a quote is on its line; `null` where text is missing. */
export function quotedRecord(text: string, from: number): QuotedRecord | null {
  const cells: string[] = [];
  let at = from;
  for (;;) {
    const isQuoted = text[at] === '"';
    const cell = isQuoted ? quotedCell(text, at + 1) : plainCell(text, at);
    if (!cell) return null;
    if (!isQuoted && cell.value.includes('"')) return faulty(text, from, cell.end);
    cells.push(cell.value);
    at = cell.end;
    if (text[at] === ',') {
      at += 1;
    } else {
      const feed = text[at] === '\r' ? at + 1 : at;
      if (feed >= text.length) return null;
      if (text[feed] !== '\n') return faulty(text, from, at);
      return { content: cells, lines: linesIn(text, from, feed), end: feed + 1 };
    }
  }
}

/** @param from Index of what follows the opening quote. */
function quotedCell(text: string, from: number): Cell | null {
  let value = '';
  let at = from;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1 || quote + 1 === text.length) return null;
    if (text[quote + 1] !== '"') return { value: value + text.slice(at, quote), end: quote + 1 };
    value += text.slice(at, quote + 1);
    at = quote + 2;
  }
}

/** Up to a comma or the end of the line; a CR before that is not the cell's. */
function plainCell(text: string, from: number): Cell | null {
  let end = from;
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') end += 1;
  if (end === text.length) return null;
  if (text[end] === '\n' && end > from && text[end - 1] === '\r') end -= 1;
  return { value: text.slice(from, end), end };
}

/** What follows a misplaced quote cannot be told: the record ends with its line. */
function faulty(text: string, from: number, at: number): QuotedRecord | null {
  const feed = text.indexOf('\n', at);
  if (feed === -1) return null;
  const message = 'has a quote where none may be: quotes go around a cell, doubled within it';
  const content = new RecordFault('invalid_format', message);
  return { content, lines: linesIn(text, from, feed), end: feed + 1 };
}

function linesIn(text: string, from: number, feed: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n', from); at < feed; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
