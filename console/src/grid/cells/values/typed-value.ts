import { COLUMN_TYPES, type ColumnType } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { noteOn } from '../json/print-json';
import { scanJson } from '../json/scan-json';

/** JSON of an input, or the reason why it cannot be sent. */
export type Typed =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly message: string };

export const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** A number with a fraction, which no integer has. */
const FRACTION = /^[^eE]*\.\d*[1-9]/;

/**
 * Converts an input to JSON. Digits are sent as typed, not converted to a number, so that the
 * service checks their range and precision. Input that is no number or no truth value is not sent.
 */
export function typedJson(column: Pick<Column, 'type'>, typed: string): Typed {
  if (typed === '') return { ok: true, json: 'null' };
  const { notation, isTrimmed } = COLUMN_TYPES[column.type];
  const text = isTrimmed ? typed.trim() : typed;
  if (text === '') return { ok: true, json: 'null' };
  switch (notation) {
    case 'number': {
      if (!JSON_NUMBER.test(text)) return wrong(column.type);
      return column.type === 'integer' && FRACTION.test(text)
        ? wrong(column.type)
        : { ok: true, json: text };
    }
    case 'boolean':
      return /^(true|false)$/i.test(text)
        ? { ok: true, json: text.toLowerCase() }
        : wrong(column.type);
    case 'json':
      return jsonOf(text);
    case 'text':
      return column.type === 'decimal' && !JSON_NUMBER.test(text)
        ? wrong(column.type)
        : { ok: true, json: quoted(text) };
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

/** Says what to enter in a column of a type. */
function wrong(type: ColumnType): Typed {
  const { enter } = gridText.values;
  if (type === 'integer') return { ok: false, message: enter.integer };
  return { ok: false, message: type === 'boolean' ? enter.boolean : enter.number };
}

function jsonOf(text: string): Typed {
  const { problem } = scanJson(text);
  return problem
    ? { ok: false, message: gridText.values.notJson(noteOn(text, problem)) }
    : { ok: true, json: text.trim() };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
