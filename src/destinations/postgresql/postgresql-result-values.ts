import { JSON_NUMBER } from '../../common/json/scan-json';
import { parseArray } from './postgresql-stream.repository';

/** Types of PostgreSQL by their ids, which never change. */
const NAMES: Readonly<Record<number, string>> = {
  16: 'boolean',
  17: 'bytea',
  20: 'bigint',
  21: 'smallint',
  23: 'integer',
  25: 'text',
  114: 'json',
  700: 'real',
  701: 'double precision',
  1042: 'character',
  1043: 'character varying',
  1082: 'date',
  1083: 'time',
  1114: 'timestamp without time zone',
  1184: 'timestamp with time zone',
  1186: 'interval',
  1700: 'numeric',
  2950: 'uuid',
  3802: 'jsonb',
};

/** Types of arrays, with those of their elements. */
const ELEMENTS: Readonly<Record<number, number>> = {
  199: 114,
  1000: 16,
  1001: 17,
  1005: 21,
  1007: 23,
  1009: 25,
  1014: 1042,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1115: 1114,
  1182: 1082,
  1183: 1083,
  1185: 1184,
  1187: 1186,
  1231: 1700,
  2951: 2950,
  3807: 3802,
};

const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);
const RAW_JSON: ReadonlySet<number> = new Set([114, 3802]);

/** Returns the name of a type, or `other` for types of extensions and users. */
export function typeName(id: number): string {
  const element = ELEMENTS[id];
  return element === undefined ? (NAMES[id] ?? 'other') : `${NAMES[element] ?? 'other'}[]`;
}

/** Returns a function that turns the text of a type into that of a `ResultRow`. */
export function textReader(id: number): (text: string) => string {
  const element = ELEMENTS[id];
  if (element === undefined) return scalarReader(id);
  const print = elementPrinter(element);
  const printList = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(printList).join(',')}]`;
    return typeof value === 'string' ? print(value) : 'null';
  };
  return (text) => printList(parseArray(text));
}

function scalarReader(id: number): (text: string) => string {
  const name = NAMES[id];
  if (name === 'boolean') return (text) => (text === 't' ? 'true' : 'false');
  if (name === 'timestamp with time zone') return (text) => isoTime(text).replace(/\+00$/, 'Z');
  return name === 'timestamp without time zone' ? isoTime : (text) => text;
}

/** `2026-11-21 09:30:00+00` has a space. `infinity` stays, and is no value of a column. */
const isoTime = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T');

/** Returns a function that prints the text of an element as JSON. NaN stays, and is not JSON. */
function elementPrinter(id: number): (text: string) => string {
  if (RAW_JSON.has(id)) return (text) => text;
  const read = scalarReader(id);
  if (NAMES[id] === 'boolean') return read;
  if (NUMBERS.has(id)) return (text) => (JSON_NUMBER.test(text) ? text : 'NaN');
  return (text) => JSON.stringify(read(text));
}
