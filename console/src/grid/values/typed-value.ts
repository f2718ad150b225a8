import type { Column, ColumnType } from '../../datagrids/datagrid';

/** What was typed, as JSON that is sent as it is; or why it cannot be sent at all. */
export type Typed =
  { readonly ok: true; readonly json: string } | { readonly ok: false; readonly message: string };

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Where spaces around the value mean nothing. In all others they belong to the text. */
const TRIMMED: ReadonlySet<ColumnType> = new Set([
  'integer',
  'number',
  'decimal',
  'boolean',
  'date',
  'datetime',
]);

/**
 * The JSON for what a person typed. Digits go through as they were typed and never through a
 * number, so that the service, not the browser, says what is too long or too precise. What does
 * not look like the type goes as text, for the service to refuse in its words.
 */
export function typedJson(column: Pick<Column, 'type'>, typed: string): Typed {
  if (typed === '') return { ok: true, json: 'null' };
  const text = TRIMMED.has(column.type) ? typed.trim() : typed;
  if (text === '') return { ok: true, json: 'null' };
  switch (column.type) {
    case 'integer':
    case 'number':
      return { ok: true, json: JSON_NUMBER.test(text) ? text : JSON.stringify(text) };
    case 'boolean':
      return { ok: true, json: /^(true|false)$/i.test(text) ? text.toLowerCase() : quoted(text) };
    case 'json':
    case 'multiSelect':
      return jsonOf(text);
    case 'text':
    case 'decimal':
    case 'date':
    case 'datetime':
    case 'select':
    case 'email':
    case 'url':
      return { ok: true, json: quoted(text) };
  }
}

/** `{"values":{…}}` of JSON texts by column key. */
export function valuesBody(values: ReadonlyMap<string, string>): string {
  return `{"values":${objectOf(values)}}`;
}

/** An object of members that are JSON texts already. */
export function objectOf(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([key, json]) => `${quoted(key)}:${json}`).join(',')}}`;
}

function jsonOf(text: string): Typed {
  try {
    JSON.parse(text);
    return { ok: true, json: text.trim() };
  } catch (error) {
    const why = error instanceof Error ? `: ${error.message}` : '';
    return { ok: false, message: `This is not JSON${why}` };
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
