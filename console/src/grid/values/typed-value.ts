import { COLUMN_TYPES } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';

/** JSON of an input, or the reason why it cannot be sent. */
export type Typed =
  { readonly ok: true; readonly json: string } | { readonly ok: false; readonly message: string };

export const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Converts an input to JSON. Digits are sent as typed, not converted to a number, so that the
 * service checks their range and precision. Input that does not match the type is sent as a string,
 * which the service rejects with its own message.
 */
export function typedJson(column: Pick<Column, 'type'>, typed: string): Typed {
  if (typed === '') return { ok: true, json: 'null' };
  const { notation, isTrimmed } = COLUMN_TYPES[column.type];
  const text = isTrimmed ? typed.trim() : typed;
  if (text === '') return { ok: true, json: 'null' };
  switch (notation) {
    case 'number':
      return { ok: true, json: JSON_NUMBER.test(text) ? text : JSON.stringify(text) };
    case 'boolean':
      return { ok: true, json: /^(true|false)$/i.test(text) ? text.toLowerCase() : quoted(text) };
    case 'json':
      return jsonOf(text);
    case 'text':
      return { ok: true, json: quoted(text) };
  }
}

/** Returns `{"values":{…}}` from JSON texts by column key. */
export function valuesBody(values: ReadonlyMap<string, string>): string {
  return `{"values":${objectOf(values)}}`;
}

/** Returns a JSON object of properties that are already JSON. */
export function objectOf(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([key, json]) => `${quoted(key)}:${json}`).join(',')}}`;
}

function jsonOf(text: string): Typed {
  try {
    JSON.parse(text);
    return { ok: true, json: text.trim() };
  } catch (error) {
    const { notJson, notJsonWhy } = gridText.values;
    return { ok: false, message: error instanceof Error ? notJsonWhy(error.message) : notJson };
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
