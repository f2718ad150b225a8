import { COLUMN_TYPES } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';

export const BOOLEANS: readonly string[] = ['true', 'false'];

/** Marks a text that opens an editor, in place of a key. No key has such a name. */
const TEXT = 'text:';

/** Returns the `key` with which AG Grid opens an editor for a text that came without keys. */
export const keyOfText = (text: string): string => TEXT + text;

/** Returns the text that opened an editor, such as one letter; undefined for other keys. */
function typedText(eventKey: string | null): string | undefined {
  if (eventKey?.startsWith(TEXT)) return eventKey.slice(TEXT.length);
  return eventKey?.length === 1 ? eventKey : undefined;
}

/**
 * Returns the initial text of an editor for the key that opened it: empty for a deletion; for a
 * text, such as a letter, the text itself, or of `true` and `false` the one that starts with it;
 * otherwise the current text. A text filters choices and rows, and does not replace the chosen ones.
 */
export function startValue(
  { type }: Pick<Column, 'type'>,
  initial: string,
  eventKey: string | null,
): string {
  if (eventKey === 'Backspace' || eventKey === 'Delete') return '';
  const { editor, hasChoices } = COLUMN_TYPES[type];
  const text = typedText(eventKey);
  if (text === undefined || hasChoices || editor === 'rows') return initial;
  if (editor !== 'choice') return text;
  return BOOLEANS.find((choice) => choice.startsWith(text.toLowerCase())) ?? initial;
}

/** Returns the text by which an editor of choices or rows filters at first: the text that opened it. */
export function startText(eventKey: string | null): string {
  return typedText(eventKey)?.trim() ?? '';
}
