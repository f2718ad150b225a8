import { nextTurn } from '../fairness/event-loop-turns';

/** Characters that are encoded at a time, which takes less than a millisecond. */
const SLICE_CHARACTERS = 256 * 1024;

/** Returns whether a text is long enough that encoding it at once would delay other requests. */
export const needsSlices = (text: string): boolean => text.length > SLICE_CHARACTERS;

/**
 * Yields a text in UTF-8. Between two slices, other requests have their turns.
 * @param accountId Account whose turn each slice takes.
 */
export async function* utf8Slices(text: string, accountId: string): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < text.length;) {
    if (start > 0) await nextTurn(accountId);
    const end = sliceEnd(text, start + SLICE_CHARACTERS);
    yield Buffer.from(text.slice(start, end));
    start = end;
  }
}

/** Returns a text in UTF-8, encoded in slices. */
export async function encodeInSlices(text: string, accountId: string): Promise<Buffer[]> {
  const slices: Buffer[] = [];
  for await (const slice of utf8Slices(text, accountId)) slices.push(slice);
  return slices;
}

/** Returns an index that is not between the two halves of a character. */
function sliceEnd(text: string, end: number): number {
  const isLow = (text.charCodeAt(end) & 0xfc00) === 0xdc00;
  return isLow ? end + 1 : end;
}
