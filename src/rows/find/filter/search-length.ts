import { codePointLength } from '../../../common/text/code-point-length';

/** Characters (code points) that an operand of `$contains` on text, or `q`, may have. */
export const MAX_SEARCH_CHARACTERS = 256;

export const SEARCH_LENGTH_MESSAGE = `must have at most ${String(MAX_SEARCH_CHARACTERS)} characters`;

/** Whether a text is longer than what may be searched for. */
export function isTooLongToSearch(operand: unknown): boolean {
  return typeof operand === 'string' && codePointLength(operand) > MAX_SEARCH_CHARACTERS;
}
