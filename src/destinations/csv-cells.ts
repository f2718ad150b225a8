import type { CsvLines } from './destination';

const [QUOTE, COMMA, LINE_FEED] = [0x22, 0x2c, 0x0a];
const MISSING = String.raw`\N`;

/** A value of a CSV line; `null` if it is missing. */
export type Cell = string | null;
export type Cells = readonly Cell[];

/** Reads the values of CSV lines. Gives the lines of one part after another. */
export async function* readCells(rows: CsvLines): AsyncGenerator<readonly Cells[]> {
  const reader = new CellReader();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const part of rows) {
    const lines = reader.read(decoder.decode(part, { stream: true }));
    if (lines.length > 0) yield lines;
  }
  const last = reader.end();
  if (last.length > 0) yield last;
}

const isEnd = (code: number): boolean => code === COMMA || code === LINE_FEED;

/** Reads lines from text that comes in parts. */
class CellReader {
  private text = '';
  private parts: string[] = [];
  private length = 0;
  /** Number of characters that a line needs at least. Keeps long ones from being read too often. */
  private wanted = 0;
  private at = 0;

  /** Adds text. @returns the lines that are complete. */
  read(text: string): Cells[] {
    this.parts.push(text);
    this.length += text.length;
    return this.length < this.wanted ? [] : this.take();
  }

  /** @returns the lines that are left. */
  end(): Cells[] {
    const lines = this.take();
    if (this.length > 0) throw new Error('The last line is not complete.');
    return lines;
  }

  private take(): Cells[] {
    this.text = this.parts.join('');
    const lines: Cells[] = [];
    let from = 0;
    while (from < this.text.length) {
      this.at = from;
      const line = this.readLine();
      if (line === null) break;
      lines.push(line);
      from = this.at;
    }
    const rest = this.text.slice(from);
    this.parts = [rest];
    this.length = rest.length;
    this.wanted = 2 * rest.length;
    return lines;
  }

  /** Reads a line at `at`, and moves `at` behind it. @returns `null` if it is not complete. */
  private readLine(): Cells | null {
    const cells: Cell[] = [];
    for (;;) {
      const cell = this.readCell();
      if (cell === undefined) return null;
      cells.push(cell);
      const isLast = this.text.charCodeAt(this.at) === LINE_FEED;
      this.at += 1;
      if (isLast) return cells;
    }
  }

  /** @returns `null` for a missing value, `undefined` if the cell is not complete. */
  private readCell(): Cell | undefined {
    const { text, at } = this;
    if (text.charCodeAt(at) !== QUOTE) {
      let end = at;
      while (end < text.length && !isEnd(text.charCodeAt(end))) end += 1;
      if (end === text.length) return undefined;
      this.at = end;
      const cell = text.slice(at, end);
      return cell === MISSING ? null : cell;
    }
    let hasQuotes = false;
    for (let from = at + 1; ; hasQuotes = true) {
      const end = text.indexOf('"', from);
      // The next character says whether the quote is the end.
      if (end < 0 || end + 1 === text.length) return undefined;
      if (text.charCodeAt(end + 1) !== QUOTE) {
        this.at = end + 1;
        const cell = text.slice(at + 1, end);
        return hasQuotes ? cell.replaceAll('""', '"') : cell;
      }
      from = end + 2;
    }
  }
}
