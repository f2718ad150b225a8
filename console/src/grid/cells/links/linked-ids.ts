import type { Column } from '../../../datagrids/datagrid';
import { choicesOf } from '../values/shown-value';

const ID = /^[1-9]\d{0,15}$/;

/** Returns whether a text is the id of a row. */
export const isRowId = (text: string): boolean => ID.test(text);

/** Returns the ids in a value as it is typed: an id, or a JSON list of ids. Other texts have none. */
export function linkedIds({ type }: Pick<Column, 'type'>, typed: string): readonly string[] {
  const texts = type === 'multiLink' ? choicesOf(typed) : [typed.trim()];
  return texts.filter(isRowId);
}

/** Returns ids as they are typed: the id, or a JSON list. The digits stay as they are. */
export function typedIds({ type }: Pick<Column, 'type'>, ids: readonly string[]): string {
  if (ids.length === 0) return '';
  return type === 'multiLink' ? `[${ids.join(',')}]` : (ids[0] ?? '');
}
