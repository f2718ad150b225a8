import { isLink } from '../../../datagrids/column-type';
import type { Column, JsonValue } from '../../../datagrids/datagrid';
import { linksText } from '../../../text/links-text';
import { editableValue, shownTyped, shownValue } from '../values/shown-value';
import type { LinkTitles } from './link-titles';
import { linkedIds } from './linked-ids';

/** Maximum number of linked rows of a value that are listed. */
export const MAX_LISTED = 12;

export type TitleSource = Pick<LinkTitles, 'titleOf'>;

/** Returns the linked rows of a value as one text. */
export function linksAsText(titles: TitleSource, column: Column, typed: string): string {
  const { datagridId } = column.options;
  const ids = linkedIds(column, typed);
  if (datagridId === undefined || ids.length === 0) return typed;
  const shown = ids.slice(0, MAX_LISTED).map((id) => titles.titleOf(datagridId, id) ?? id);
  const more = ids.length > MAX_LISTED ? [linksText.chips.more(ids.length - MAX_LISTED)] : [];
  return [...shown, ...more].join(', ');
}

/** Returns the display text of an input, like `shownTyped`, with the titles of linked rows. */
export function titledTyped(column: Column, typed: string, titles: TitleSource): string {
  return isLink(column.type) ? linksAsText(titles, column, typed) : shownTyped(column, typed);
}

/** Returns the display text of a value, like `shownValue`, with the titles of linked rows. */
export function titledValue(
  column: Column,
  value: JsonValue | undefined,
  titles: TitleSource,
): string {
  return isLink(column.type)
    ? linksAsText(titles, column, editableValue(column, value))
    : shownValue(column, value);
}
