import { gridText } from '../../../text/grid-text';
import { scanJson, type JsonProblem, type JsonToken } from './scan-json';

/**
 * Returns a JSON text without white space, or the text itself if it is not JSON. Numbers and strings
 * keep their digits and letters.
 */
export function compactJson(text: string): string {
  const { tokens, problem } = scanJson(text);
  return problem ? text : withoutSpace(tokens).join('');
}

/** Returns a JSON text with one element or property per line, or the text itself if it is not JSON. */
export function prettyJson(text: string): string {
  const { tokens, problem } = scanJson(text);
  if (problem) return text;
  const parts = withoutSpace(tokens);
  let printed = '';
  let depth = 0;
  parts.forEach((part, at) => {
    const isEmpty = /^[[{]$/.test(parts[at - 1] ?? '') && /^[\]}]$/.test(part);
    if (/^[\]}]$/.test(part)) {
      depth -= 1;
      if (!isEmpty) printed += lineAt(depth);
    }
    printed += part;
    if (/^[[{]$/.test(part)) {
      depth += 1;
      if (!/^[\]}]$/.test(parts[at + 1] ?? '')) printed += lineAt(depth);
    } else if (part === ',') printed += lineAt(depth);
    else if (part === ':') printed += ' ';
  });
  return printed;
}

/** Returns the line and the column of an index, both from 1. */
export function placeOf(text: string, at: number): { readonly line: number; column: number } {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** Says where the first error of a text is, and what is expected there. */
export function noteOn(text: string, { at, expected }: JsonProblem): string {
  const { line, column } = placeOf(text, at);
  return gridText.json.at(line, column, gridText.json.expected[expected]);
}

const withoutSpace = (tokens: readonly JsonToken[]): string[] =>
  tokens.filter(({ kind }) => kind !== 'space').map(({ text }) => text);

/** Depth up to which lines are indented: the maximum of the API. */
const MAX_DEPTH = 64;

const lineAt = (depth: number): string => `\n${'  '.repeat(Math.min(depth, MAX_DEPTH))}`;
