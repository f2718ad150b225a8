/** A part of a JSON text. A `wrong` one is not valid JSON. */
export interface JsonToken {
  readonly kind: 'space' | 'sign' | 'key' | 'string' | 'number' | 'literal' | 'wrong';
  readonly text: string;
}

/** Part of JSON that is expected at the first error. */
export type JsonExpected =
  | 'value'
  | 'key'
  | 'colon'
  | 'array-end'
  | 'object-end'
  | 'end'
  | 'string';

/** The first error of a text that is not JSON. */
export interface JsonProblem {
  /** Index in the text. */
  readonly at: number;
  readonly expected: JsonExpected;
}

export interface JsonScan {
  /** The tokens, which together are the text. */
  readonly tokens: readonly JsonToken[];
  readonly problem: JsonProblem | null;
}

/** What may come next. */
type State = 'value' | 'first-element' | 'first-key' | 'key' | 'colon' | 'after';

const OTHERS = [
  ['space', /[ \t\n\r]+/y],
  ['number', /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['literal', /true|false|null/y],
  ['sign', /[[\]{},:]/y],
] as const;

/** Splits a text into the tokens of JSON, and finds the first error. Texts of tokens are not changed. */
export function scanJson(text: string): JsonScan {
  const tokens: JsonToken[] = [];
  const open: ('[' | '{')[] = [];
  let state: State = 'value';
  let problem: JsonProblem | null = null;
  let at = 0;
  while (at < text.length) {
    let token = tokenAt(text, at);
    if (token.kind === 'string' && state.endsWith('key')) token = { ...token, kind: 'key' };
    const next: State | undefined = token.kind === 'space' ? state : nextState(token, state, open);
    if (next) state = next;
    else problem ??= { at, expected: expectedIn(token, state, open) };
    tokens.push(token);
    at += token.text.length;
  }
  const isWhole = state === 'after' && open.length === 0;
  if (!isWhole) problem ??= { at, expected: expectedIn(undefined, state, open) };
  return { tokens, problem };
}

function tokenAt(text: string, at: number): JsonToken {
  if (text[at] === '"') {
    const end = stringEnd(text, at + 1);
    return end.isWhole
      ? { kind: 'string', text: text.slice(at, end.at) }
      : { kind: 'wrong', text: text.slice(at, end.at) };
  }
  for (const [kind, pattern] of OTHERS) {
    pattern.lastIndex = at;
    const match = pattern.exec(text)?.[0];
    if (match !== undefined) return { kind, text: match };
  }
  return { kind: 'wrong', text: text.slice(at, at + 1) };
}

/** Returns where a string ends: after its quote, or before the character that it cannot have. */
function stringEnd(text: string, from: number): { readonly at: number; readonly isWhole: boolean } {
  const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
  let at = from;
  while (at < text.length) {
    const sign = text[at] ?? '';
    if (sign === '"') return { at: at + 1, isWhole: true };
    if (sign < ' ') break;
    if (sign === '\\') {
      escape.lastIndex = at;
      const escaped = escape.exec(text)?.[0];
      if (escaped === undefined) break;
      at += escaped.length;
    } else at += 1;
  }
  return { at, isWhole: false };
}

/** Returns the state after a token, or `undefined` if it must not come here. */
function nextState(
  { kind, text }: JsonToken,
  state: State,
  open: ('[' | '{')[],
): State | undefined {
  const inner = open.at(-1);
  const isValue = state === 'value' || state === 'first-element';
  switch (text) {
    case '[':
    case '{':
      if (!isValue) return undefined;
      open.push(text);
      return text === '[' ? 'first-element' : 'first-key';
    case ']':
    case '}':
      if (inner !== (text === ']' ? '[' : '{')) return undefined;
      if (!['after', 'first-element', 'first-key'].includes(state)) return undefined;
      open.pop();
      return 'after';
    case ',':
      if (state !== 'after' || !inner) return undefined;
      return inner === '[' ? 'value' : 'key';
    case ':':
      return state === 'colon' ? 'value' : undefined;
    default:
      if (kind === 'key') return 'colon';
      return isValue && kind !== 'wrong' ? 'after' : undefined;
  }
}

function expectedIn(
  token: JsonToken | undefined,
  state: State,
  open: readonly string[],
): JsonExpected {
  const isString = token?.kind === 'wrong' && token.text.startsWith('"');
  if (isString && ['value', 'first-element', 'key', 'first-key'].includes(state)) return 'string';
  switch (state) {
    case 'value':
    case 'first-element':
      return 'value';
    case 'key':
    case 'first-key':
      return 'key';
    case 'colon':
      return 'colon';
    case 'after':
      if (open.length === 0) return 'end';
      return open.at(-1) === '[' ? 'array-end' : 'object-end';
  }
}
