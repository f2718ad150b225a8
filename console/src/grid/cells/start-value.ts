import { COLUMN_TYPES } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';

export const BOOLEANS: readonly string[] = ['true', 'false'];

/**
 * Returns the initial text of an editor for the key that opened it: empty for a deletion; for a
 * letter, the letter itself, or of `true` and `false` the one that starts with it; otherwise the
 * current text. A letter filters choices and rows, and does not replace the chosen ones.
 */
export function startValue(
  { type }: Pick<Column, 'type'>,
  initial: string,
  eventKey: string | null,
): string {
  if (eventKey === 'Backspace' || eventKey === 'Delete') return '';
  const { editor, hasChoices } = COLUMN_TYPES[type];
  if (eventKey?.length !== 1 || hasChoices || editor === 'rows') return initial;
  if (editor !== 'choice') return eventKey;
  return BOOLEANS.find((choice) => choice.startsWith(eventKey.toLowerCase())) ?? initial;
}

/** Returns the text by which an editor of choices or rows filters at first: the letter that opened it. */
export function startText(eventKey: string | null): string {
  return eventKey?.length === 1 ? eventKey.trim() : '';
}
