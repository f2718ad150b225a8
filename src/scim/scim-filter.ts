import { scimError } from './scim-error';

/** Operators that compare an attribute with a value. */
const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;

export type Comparison = (typeof COMPARISONS)[number];

/** An attribute, such as `name.familyName`. */
export interface AttributePath {
  /** Lower-case URN of its schema; `null` if none is given. */
  readonly schema: string | null;
  /** Lower case. */
  readonly name: string;
  /** Lower case; `null` for the attribute itself. */
  readonly sub: string | null;
}

/** A parsed filter (RFC 7644, section 3.4.2.2). */
export type Filter =
  | { readonly op: 'and'; readonly filters: readonly Filter[] }
  | { readonly op: 'or'; readonly filters: readonly Filter[] }
  | { readonly op: 'not'; readonly filter: Filter }
  | { readonly op: 'pr'; readonly path: AttributePath }
  | { readonly op: Comparison; readonly path: AttributePath; readonly value: Scalar }
  | { readonly op: '[]'; readonly path: AttributePath; readonly filter: Filter };

type Scalar = string | number | boolean | null;

/** Target of a change: an attribute, some of its values, or a part of these. */
export interface PatchPath extends AttributePath {
  /** Condition of the values; `null` for all. */
  readonly filter: Filter | null;
}

const MAX_LENGTH = 2_000;
const MAX_DEPTH = 10;
const MAX_CONDITIONS = 50;

const TOKEN =
  /\s+|(?<text>"(?:[^"\\]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.:-]))|(?<sign>[()[\]])|(?<word>\.?[A-Za-z$][\w$.:-]*)/y;

interface Token {
  readonly kind: 'text' | 'number' | 'sign' | 'word' | 'end';
  readonly text: string;
}

/**
 * Parses a filter.
 * @throws AppError `invalid_request` with `invalidFilter`.
 */
export function parseFilter(text: string): Filter {
  const parser = new FilterParser(text, 'invalidFilter');
  const filter = parser.filter();
  parser.requireEnd();
  return filter;
}

/**
 * Parses the path of a change, such as `emails[type eq "work"].value`.
 * @throws AppError `invalid_request` with `invalidPath`.
 */
export function parsePatchPath(text: string): PatchPath {
  const parser = new FilterParser(text, 'invalidPath');
  const path = parser.patchPath();
  parser.requireEnd();
  return path;
}

/** Splits `urn:…:User:name.familyName` or `name.familyName`. A version in a URN has a period, too. */
export function attributePath(word: string): AttributePath {
  const lower = word.toLowerCase();
  const isUrn = lower.startsWith('urn:');
  const colon = isUrn ? lower.lastIndexOf(':') : -1;
  const rest = lower.slice(colon + 1);
  // The URN of a schema itself, as the name of its extension.
  if (isUrn && /:2\.0:(user|group)$/.test(lower)) return { schema: null, name: lower, sub: null };
  const [name = '', sub = null] = rest.split('.');
  return { schema: isUrn ? lower.slice(0, colon) : null, name, sub };
}

/** Recursive descent, bounded in length, depth and number of conditions. */
class FilterParser {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;
  private conditions = 0;

  constructor(
    text: string,
    private readonly type: 'invalidFilter' | 'invalidPath',
  ) {
    if (text.length > MAX_LENGTH)
      throw this.error(`must have at most ${String(MAX_LENGTH)} characters`);
    this.tokens = this.tokensOf(text);
  }

  /** `or` binds weaker than `and`. */
  filter(): Filter {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw this.error('is nested too deeply');
    const parsed = this.list('or', () => this.list('and', () => this.condition()));
    this.depth -= 1;
    return parsed;
  }

  patchPath(): PatchPath {
    const token = this.next();
    if (token.kind !== 'word') throw this.unexpected(token);
    const path = attributePath(token.text);
    if (!this.takes('[')) return { ...path, filter: null };
    const filter = this.filter();
    this.require(']');
    return this.peek().kind === 'word'
      ? { ...path, filter, sub: this.part() }
      : { ...path, filter };
  }

  /** Reads the name after a period. */
  private part(): string {
    const token = this.next();
    if (token.kind !== 'word' || !/^\.[a-z$][\w$-]*$/i.test(token.text))
      throw this.unexpected(token);
    return token.text.slice(1).toLowerCase();
  }

  requireEnd(): void {
    const token = this.peek();
    if (token.kind !== 'end') throw this.unexpected(token);
  }

  private list(op: 'and' | 'or', parse: () => Filter): Filter {
    const filters = [parse()];
    while (this.takesWord(op)) filters.push(parse());
    const [first] = filters;
    return filters.length === 1 && first ? first : { op, filters };
  }

  private condition(): Filter {
    if (this.takes('(')) return this.closing(')');
    const token = this.next();
    if (token.kind !== 'word' || token.text.startsWith('.')) throw this.unexpected(token);
    if (token.text.toLowerCase() === 'not' && this.takes('('))
      return { op: 'not', filter: this.closing(')') };
    const path = attributePath(token.text);
    this.conditions += 1;
    if (this.conditions > MAX_CONDITIONS)
      throw this.error(`must have at most ${String(MAX_CONDITIONS)} conditions`);
    if (!this.takes('[')) return this.comparison(path);
    const filter = this.closing(']');
    const rest = this.peek();
    if (rest.kind !== 'word' || !rest.text.startsWith('.')) return { op: '[]', path, filter };
    // Entra ID compares a part of the selected values: `emails[type eq "work"].value eq "…"`.
    const part = this.comparison({ schema: null, name: this.part(), sub: null });
    return { op: '[]', path, filter: { op: 'and', filters: [filter, part] } };
  }

  private comparison(path: AttributePath): Filter {
    if (this.takesWord('pr')) return { op: 'pr', path };
    const operator = this.next();
    const op = COMPARISONS.find((each) => each === operator.text.toLowerCase());
    if (operator.kind !== 'word' || op === undefined) throw this.unexpected(operator);
    return { op, path, value: this.value() };
  }

  private closing(sign: ')' | ']'): Filter {
    const filter = this.filter();
    this.require(sign);
    return filter;
  }

  private value(): Scalar {
    const token = this.next();
    if (token.kind === 'number') return Number(token.text);
    if (token.kind === 'text') return this.unquoted(token);
    const word = token.text.toLowerCase();
    if (token.kind === 'word' && word === 'true') return true;
    if (token.kind === 'word' && word === 'false') return false;
    if (token.kind === 'word' && word === 'null') return null;
    throw this.unexpected(token);
  }

  private unquoted(token: Token): string {
    try {
      const text = JSON.parse(token.text) as string;
      // PostgreSQL has no NUL, and no half of a surrogate pair, for which this throws.
      encodeURIComponent(text);
      if (!text.includes('\0')) return text;
    } catch {
      // As below.
    }
    throw this.unexpected(token);
  }

  private takes(sign: string): boolean {
    const { kind, text } = this.peek();
    if (kind !== 'sign' || text !== sign) return false;
    this.at += 1;
    return true;
  }

  private takesWord(word: string): boolean {
    const { kind, text } = this.peek();
    if (kind !== 'word' || text.toLowerCase() !== word) return false;
    this.at += 1;
    return true;
  }

  private require(sign: string): void {
    if (!this.takes(sign)) throw this.unexpected(this.peek());
  }

  private next(): Token {
    const token = this.peek();
    this.at += 1;
    return token;
  }

  private peek(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: 'its end' };
  }

  private tokensOf(text: string): Token[] {
    const tokens: Token[] = [];
    const pattern = new RegExp(TOKEN);
    while (pattern.lastIndex < text.length) {
      const at = pattern.lastIndex;
      const found = pattern.exec(text);
      if (!found) throw this.error(`is not valid at character ${String(at + 1)}`);
      const entry = Object.entries(found.groups ?? {}).find(([, part]) => part !== undefined);
      if (entry) tokens.push({ kind: entry[0] as Token['kind'], text: entry[1] });
    }
    return tokens;
  }

  private unexpected({ text }: Token): Error {
    return this.error(`does not expect ${text.slice(0, 50)}`);
  }

  private error(message: string): Error {
    const what = this.type === 'invalidFilter' ? 'filter' : 'path';
    return scimError(this.type, `${what}: ${message}`);
  }
}
