import { importText } from '../../../text/import-text';
import { FileRejectedError, type Cell, type SourceRecord } from './record';

const t = importText.read;

/** Characters that one object can have. */
const MAX_OBJECT_CHARACTERS = 16 * 1024 * 1024;

export interface JsonText {
  /** The position of an item of an array, and otherwise the line on which the value starts, from 1. */
  readonly place: number;
  readonly text: string;
}

/** Yields the values of a JSON array or of NDJSON, or a single JSON object, as their text. */
export async function* readJson(texts: AsyncIterable<string>): AsyncGenerator<JsonText> {
  const scanner = new JsonScanner();
  for await (const text of texts) yield* scanner.scan(text);
  yield* scanner.end();
}

class JsonScanner {
  private kind: 'array' | 'lines' | 'values' | undefined;
  private line = 1;
  /** Values of an array that have been read. */
  private items = 0;
  private start = 1;
  private depth = 0;
  private isQuoted = false;
  private isEscaped = false;
  private isOver = false;
  /** Text of the current value; empty between values. */
  private pending = '';

  *scan(text: string): Generator<JsonText> {
    let from = this.pending === '' ? -1 : 0;
    let at = 0;
    for (; at < text.length && !this.isOver; at += 1) {
      const character = text.charAt(at);
      if (from < 0) {
        if (this.isBetween(character)) continue;
        [this.start, from] = [this.line, at];
      }
      const ends = this.endsAt(character);
      if (character === '\n') this.line += 1;
      if (ends === 'no') continue;
      const value = this.pending + text.slice(from, ends === 'after' ? at + 1 : at);
      yield { place: this.nextPlace(), text: value };
      this.reset();
      from = -1;
      if (character === ']' && ends === 'before') this.isOver = true;
    }
    if (this.isOver && /\S/.test(text.slice(at))) {
      throw new FileRejectedError(t.afterArray(this.line));
    }
    if (from >= 0 && !this.isOver) this.pending += text.slice(from);
    if (this.pending.length > MAX_OBJECT_CHARACTERS) {
      throw new FileRejectedError(t.longObject(this.start));
    }
  }

  *end(): Generator<JsonText> {
    if (this.kind === 'array' && !this.isOver) {
      throw new FileRejectedError(t.openArray);
    }
    if (this.pending.trim() !== '') yield { place: this.nextPlace(), text: this.pending };
  }

  private nextPlace(): number {
    this.items += 1;
    return this.kind === 'array' ? this.items : this.start;
  }

  private reset(): void {
    [this.pending, this.depth, this.isQuoted, this.isEscaped] = ['', 0, false, false];
  }

  /** Reads a character outside values. */
  private isBetween(character: string): boolean {
    if (character === '\n') this.line += 1;
    if (/\s/.test(character)) return true;
    if (this.kind === undefined && character === '[') {
      this.kind = 'array';
      return true;
    }
    if (this.kind === 'array' && character === ']') this.isOver = true;
    return this.kind === 'array' && (character === ',' || character === ']');
  }

  /** Reads a character of a value, and says where the value ends. */
  private endsAt(character: string): 'no' | 'before' | 'after' {
    if (character === '\n' && this.kind !== 'array') {
      // If the first line holds a whole value, each line does.
      this.kind ??= this.depth === 0 ? 'lines' : 'values';
      if (this.kind === 'lines') return 'before';
    }
    if (this.isQuoted) {
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '\\') this.isEscaped = true;
      else if (character === '"') this.isQuoted = false;
      return 'no';
    }
    if (character === '"') this.isQuoted = true;
    else if (character === '{' || character === '[') this.depth += 1;
    else if (character === '}' || character === ']') {
      this.depth -= 1;
      if (this.depth < 0) return this.kind === 'array' ? 'before' : 'no';
      // In lines, the value ends with its line, so that what follows it is not lost.
      if (this.depth === 0 && (this.kind === 'array' || this.kind === 'values')) return 'after';
    } else if (character === ',' && this.depth === 0 && this.kind === 'array') return 'before';
    return 'no';
  }
}

/** Members of a JSON object, as JSON texts by name. */
export type Members = ReadonlyMap<string, string>;

/**
 * Returns the members of a JSON object, each as written, so that numbers keep their digits.
 * @returns the reason if the text is no object.
 */
export function membersOf(text: string): Members | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return t.invalidJson;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return t.notObject;
  }
  const members = new Map<string, string>();
  // The text is valid, so that tokens can be told apart by their first character.
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs);
  let depth = 0;
  let name: string | undefined;
  let from = -1;
  for (const { 0: token, index } of tokens) {
    if (depth === 1 && name !== undefined && (token === ',' || token === '}')) {
      if (members.has(name)) return t.repeatedMember(JSON.stringify(name));
      members.set(name, text.slice(from, index).trim());
      name = undefined;
    } else if (depth === 1 && name === undefined && token.startsWith('"')) {
      name = JSON.parse(token) as string;
      from = -1;
      continue;
    } else if (depth === 1 && token === ':' && from < 0) from = index + 1;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
  }
  return members;
}

/**
 * Returns the cells of an object, one for each name. Strings are their text, null is `null`, and
 * other values are their JSON as written.
 */
export function cellsOf(
  members: Members,
  names: readonly string[],
): Pick<SourceRecord, 'cells' | 'strings'> {
  const strings = new Set<number>();
  const cells = names.map((name, at): Cell => {
    const json = members.get(name);
    if (json === undefined || json === 'null') return json === undefined ? undefined : null;
    if (!json.startsWith('"')) return json;
    strings.add(at);
    return JSON.parse(json) as string;
  });
  return { cells, strings };
}
