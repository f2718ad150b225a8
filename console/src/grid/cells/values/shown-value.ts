import { showNumber } from '../../../common/shown-number';
import { isTime, showTime } from '../../../common/shown-time';
import { COLUMN_TYPES, isComputed, isLink } from '../../../datagrids/column-type';
import type { Column, JsonValue } from '../../../datagrids/datagrid';

/**
 * Returns the display text of a value; empty for no value. Numbers and dates are in the reader's
 * locale, also those that a lookup reads.
 */
export function shownValue(
  column: Pick<Column, 'type' | 'source'>,
  value: JsonValue | undefined,
): string {
  const { source } = column;
  if (source && !isLink(source.type)) {
    const values: readonly (JsonValue | undefined)[] = Array.isArray(value) ? value : [value];
    return values.map((each) => shownValue(source, each)).join(', ');
  }
  if (Array.isArray(value) && column.type === 'multiSelect') return value.join(', ');
  return shownText(column, editableValue(column, value));
}

/**
 * Returns a title with the exact text of the values that are shown as dates; undefined for other
 * types, and without a value.
 */
export function exactTitle(
  column: Pick<Column, 'type'>,
  ...values: readonly (JsonValue | undefined)[]
): string | undefined {
  if (!isTime(column.type)) return undefined;
  const texts = values.map((value) => editableValue(column, value)).filter((text) => text !== '');
  return texts.length > 0 ? texts.join(' → ') : undefined;
}

/**
 * Returns a value as the user would type it; `typedJson` converts it back. Numbers keep all their
 * digits.
 */
export function editableValue(
  { type }: Pick<Column, 'type'>,
  value: JsonValue | undefined,
): string {
  if (value === undefined || value === null || isInherited(value)) return '';
  if (isComputed(type) && Array.isArray(value)) {
    return value.map((each) => editableValue({ type }, each as JsonValue)).join(', ');
  }
  return typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value);
}

/** A row without a value in the column `constructor` inherits a function of this name. */
const isInherited = (value: unknown): boolean => typeof value === 'function';

/** Returns the display text of an input. */
export function shownTyped(column: Pick<Column, 'type'>, typed: string): string {
  if (column.type !== 'multiSelect') return shownText(column, typed);
  const choices = choicesOf(typed);
  return choices.length > 0 || typed === '' ? choices.join(', ') : typed;
}

function shownText({ type }: Pick<Column, 'type'>, text: string): string {
  return COLUMN_TYPES[type].isNumeric ? showNumber(type, text) : showTime(type, text);
}

/** Returns the choices of a `multiSelect`, or none if the value is not a list. */
export function choicesOf(typed: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(typed);
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}

/**
 * Restores CRLF line endings, which a text area replaces with LF, so that an edit of one letter
 * changes nothing else. Mixed line endings become LF.
 */
export function withLineEndsOf(before: string, typed: string): string {
  const hadCrLf = before.includes('\r\n') && !/(^|[^\r])\n/.test(before);
  return hadCrLf ? typed.replace(/\r?\n/g, '\r\n') : typed;
}
