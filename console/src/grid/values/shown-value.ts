import type { Column, JsonValue } from '../../datagrids/datagrid';

/** A value as a cell shows it; empty for no value. */
export function shownValue(column: Pick<Column, 'type'>, value: JsonValue | undefined): string {
  if (Array.isArray(value) && column.type === 'multiSelect') return value.join(', ');
  return editableValue(column, value);
}

/** A value as it is typed: `typedJson` of it is the value again. Numbers keep all their digits. */
export function editableValue(
  { type }: Pick<Column, 'type'>,
  value: JsonValue | undefined,
): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value);
}

/** What was typed, as a cell shows it. */
export function shownTyped(column: Pick<Column, 'type'>, typed: string): string {
  if (column.type !== 'multiSelect') return typed;
  const choices = choicesOf(typed);
  return choices.length > 0 || typed === '' ? choices.join(', ') : typed;
}

/** The choices that a `multiSelect` was given; none where it is no list. */
export function choicesOf(typed: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(typed);
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}

/**
 * A text area gives every line end back as LF. A text that had CRLF alone gets them back, so that
 * changing one letter changes nothing else.
 */
export function withLineEndsOf(before: string, typed: string): string {
  const hadCrLf = before.includes('\r\n') && !/(^|[^\r])\n/.test(before);
  return hadCrLf ? typed.replace(/\r?\n/g, '\r\n') : typed;
}
