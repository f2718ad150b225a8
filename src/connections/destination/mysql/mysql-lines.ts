import type { CsvLines, TargetColumn, TargetType } from '../destination';
import { literal } from './mysql-sql';

const [QUOTE, COMMA, LINE_FEED] = [0x22, 0x2c, 0x0a];
const MISSING = String.raw`\N`;

/** Lines of a load, or changes, which have `_deleted` before the values. */
export type LineKind = 'rows' | 'changes';

/**
 * Prints CSV lines as literals of SQL, separated by commas. INSERT and LOAD DATA read the same form.
 * Gives the lines of one part after another.
 */
export async function* literalLines(
  kind: LineKind,
  columns: readonly TargetColumn[],
  rows: CsvLines,
): AsyncGenerator<readonly string[]> {
  const types: TargetType[] = ['integer', 'integer', ...(kind === 'changes' ? DELETED : [])];
  const reader = new LineReader([...types, ...columns.map(({ type }) => type)]);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const part of rows) {
    const lines = reader.read(decoder.decode(part, { stream: true }));
    if (lines.length > 0) yield lines;
  }
  const last = reader.end();
  if (last.length > 0) yield last;
}

const DELETED = ['boolean'] as const;

const isEnd = (code: number): boolean => code === COMMA || code === LINE_FEED;

/** Reads lines from text that comes in parts. */
class LineReader {
  private text = '';
  private parts: string[] = [];
  private length = 0;
  /** Number of characters that a line needs at least. Keeps long ones from being read too often. */
  private wanted = 0;
  private at = 0;

  constructor(private readonly types: readonly TargetType[]) {}

  /** Adds text. @returns the lines that are complete. */
  read(text: string): string[] {
    this.parts.push(text);
    this.length += text.length;
    return this.length < this.wanted ? [] : this.take();
  }

  /** @returns the lines that are left. */
  end(): string[] {
    const lines = this.take();
    if (this.length > 0) throw new Error('The last line is not complete.');
    return lines;
  }

  private take(): string[] {
    this.text = this.parts.join('');
    const lines: string[] = [];
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
  private readLine(): string | null {
    let line = '';
    for (let column = 0; ; column += 1) {
      const cell = this.readCell();
      if (cell === undefined) return null;
      line += printed(cell, this.types[column]);
      const isLast = this.text.charCodeAt(this.at) === LINE_FEED;
      this.at += 1;
      if (isLast) return line;
      line += ',';
    }
  }

  /** @returns `null` for a missing value, `undefined` if the cell is not complete. */
  private readCell(): string | null | undefined {
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

/** Prints a value as a text, which the server reads exactly. The server rejects what does not fit. */
function printed(cell: string | null, type: TargetType | undefined): string {
  if (cell === null) return 'NULL';
  if (type === 'boolean') {
    if (cell === 'true') return "'1'";
    if (cell === 'false') return "'0'";
  }
  if (type === 'timestamp') return literal(cell.replace(/^(\S{10})T(\S{12})Z$/, '$1 $2'));
  return literal(cell);
}
