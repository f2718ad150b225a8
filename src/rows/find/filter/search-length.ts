import { codePointLength } from '../../../common/text/code-point-length';

/** Maximum length of an operand of `$contains` on text, and of `q`, in Unicode code points. */
export const MAX_SEARCH_CHARACTERS = 256;

export const SEARCH_LENGTH_MESSAGE = `must have at most ${String(MAX_SEARCH_CHARACTERS)} characters`;

/** Whether a text exceeds MAX_SEARCH_CHARACTERS. */
export function isTooLongToSearch(operand: unknown): boolean {
  return typeof operand === 'string' && codePointLength(operand) > MAX_SEARCH_CHARACTERS;
}
