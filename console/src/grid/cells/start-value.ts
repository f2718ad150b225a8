import type { Column } from '../../datagrids/datagrid';

/** What a cell of the column can be given. */
export function choicesFor({ type, options }: Pick<Column, 'type' | 'options'>): readonly string[] {
  return type === 'boolean' ? ['true', 'false'] : (options.choices ?? []);
}

/**
 * What an editor begins with, by the key that opened it: a deletion begins with nothing, a letter
 * with itself, or with the first choice that it begins; all else keeps what is there.
 */
export function startValue(
  column: Pick<Column, 'type' | 'options'>,
  initial: string,
  eventKey: string | null,
): string {
  if (eventKey === 'Backspace' || eventKey === 'Delete') return '';
  if (eventKey?.length !== 1) return initial;
  if (column.type === 'multiSelect') return initial;
  if (column.type !== 'boolean' && column.type !== 'select') return eventKey;
  return choicesFor(column).find((choice) => beginsWith(choice, eventKey)) ?? initial;
}

function beginsWith(choice: string, letter: string): boolean {
  return choice.toLocaleLowerCase().startsWith(letter.toLocaleLowerCase());
}
