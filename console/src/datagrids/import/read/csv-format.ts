import { readCsv } from './csv';
import type { Delimiter } from './record';
import { readDate, readDatetime } from '../values/read-date';
import { readNumber } from '../values/read-number';

const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|'];

async function* only(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

async function rowsOf(text: string, delimiter: Delimiter): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const { cells } of readCsv(only(text), delimiter)) {
    rows.push(cells.map((cell) => cell ?? ''));
  }
  return rows;
}

/** Detects the delimiter from the start of a file: the one that gives the most regular table. */
export async function detectDelimiter(head: string): Promise<Delimiter> {
  const directive = /^sep=([,;\t|])/i.exec(head)?.[1];
  if (directive !== undefined) return directive as Delimiter;
  let best: { readonly delimiter: Delimiter; readonly score: number } | undefined;
  for (const delimiter of DELIMITERS) {
    const rows = (await rowsOf(head, delimiter)).slice(0, 50);
    const width = rows[0]?.length ?? 1;
    const regular = rows.filter((row) => row.length === width).length / Math.max(1, rows.length);
    const score = width > 1 ? regular * 100 + Math.min(width, 50) / 10 : 0;
    if (!best || score > best.score) best = { delimiter, score };
  }
  return best?.delimiter ?? ',';
}

const isTyped = (cell: string): boolean =>
  readNumber(cell, '.') !== undefined ||
  readNumber(cell, ',') !== undefined ||
  readDate(cell, 'dmy') !== undefined ||
  readDate(cell, 'mdy') !== undefined ||
  readDatetime(cell, 'dmy') !== undefined;

/** Returns true if the first row looks like names: texts only, unlike a row of values. */
export function looksLikeHeader(rows: readonly (readonly string[])[]): boolean {
  const [first = [], ...others] = rows;
  if (first.some((cell) => cell !== '' && isTyped(cell))) return false;
  // A name that is also a value below it is a value, as in a list of colors without a header.
  return !others.some((row) => row.some((cell, at) => cell !== '' && cell === first[at]));
}
