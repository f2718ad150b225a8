import { COLUMN_TYPES } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';

/** Type and options of a column. */
export function choicesFor({ type, options }: Pick<Column, 'type' | 'options'>): readonly string[] {
  return type === 'boolean' ? ['true', 'false'] : (options.choices ?? []);
}

/**
 * Returns the initial text of an editor for the key that opened it: empty for a deletion; for a
 * letter, the letter itself or the first choice that starts with it; otherwise the current text.
 */
export function startValue(
  column: Pick<Column, 'type' | 'options'>,
  initial: string,
  eventKey: string | null,
): string {
  if (eventKey === 'Backspace' || eventKey === 'Delete') return '';
  if (eventKey?.length !== 1) return initial;
  const { editor } = COLUMN_TYPES[column.type];
  if (editor === 'choices') return initial;
  if (editor !== 'choice') return eventKey;
  return choicesFor(column).find((choice) => beginsWith(choice, eventKey)) ?? initial;
}

function beginsWith(choice: string, letter: string): boolean {
  return choice.toLocaleLowerCase().startsWith(letter.toLocaleLowerCase());
}
