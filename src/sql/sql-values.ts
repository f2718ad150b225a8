import type { UserColumn } from '../columnar/user-query';
import { NESTED_TYPES } from '../destinations/duckdb/duckdb-sql';
import type { ResultRow } from '../destinations/source';

/** Prints a value, which DuckDB has printed as text, as JSON. */
type PrintValue = (text: string) => string;

/** Integers beyond this would lose digits in JavaScript. */
const MAX_SAFE_DIGITS = 15;
const FINITE = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/** A time as DuckDB prints it. */
const TIME = /^(\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z?$/;

const asText: PrintValue = (text) => JSON.stringify(text);

/** An integer is a number, or a string if JavaScript cannot hold all of its digits. */
const asInteger: PrintValue = (text) =>
  text.length <= MAX_SAFE_DIGITS || Number.isSafeInteger(Number(text)) ? text : `"${text}"`;

/** `Infinity` and `NaN` are strings, because JSON has no such numbers. */
const asDouble: PrintValue = (text) => (FINITE.test(text) ? text : JSON.stringify(text));

/** All times are in UTC. Those of rows have milliseconds. */
const asTime: PrintValue = (text) => JSON.stringify(timeText(text));

/**
 * JSON as it is, on one line. DuckDB prints some text that is not JSON, such as `[NaN]`, and accepts some, such
 * as `[1,]`: that is a string.
 */
const asJson: PrintValue = (text) => {
  try {
    JSON.parse(text);
    return text.replaceAll(/[\n\r]/g, ' ');
  } catch {
    return JSON.stringify(text);
  }
};

function timeText(text: string): string {
  const [, time, fraction = ''] = TIME.exec(text) ?? [];
  return time === undefined ? text : `${time}.${fraction.padEnd(3, '0')}Z`;
}

const isTime = ({ typeId }: UserColumn): boolean => typeId.startsWith('TIMESTAMP');

function printerOf(column: UserColumn): PrintValue {
  const { type, typeId } = column;
  if (typeId === 'BOOLEAN') return (text) => text;
  if (/^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(typeId)) return asInteger;
  if (typeId === 'DOUBLE' || typeId === 'FLOAT') return asDouble;
  if (NESTED_TYPES.includes(typeId) || (typeId === 'VARCHAR' && type === 'JSON')) return asJson;
  return isTime(column) ? asTime : asText;
}

/** Prints a row. */
export type PrintRow = (row: ResultRow) => string;

/** Returns a function that prints a row as a JSON object. */
export function jsonPrinter(columns: readonly UserColumn[]): PrintRow {
  const parts = columns.map((column, index) => {
    const prefix = `${index === 0 ? '{' : ','}${JSON.stringify(column.name)}:`;
    const print = printerOf(column);
    return (value: string | null) => prefix + (value === null ? 'null' : print(value));
  });
  return (row) => {
    let text = '';
    for (const [index, part] of parts.entries()) text += part(row[index] ?? null);
    return `${text}}`;
  };
}

/** Returns a function that prints a row as a line of CSV. A missing value is empty. */
export function csvPrinter(columns: readonly UserColumn[]): PrintRow {
  const times = columns.map(isTime);
  return (row) => {
    const cells = row.map((value, index) => {
      if (value === null) return '';
      return csvCell(times[index] === true ? timeText(value) : value);
    });
    return cells.join(',');
  };
}

/** Returns the first line of CSV. */
export const csvHeader = (columns: readonly UserColumn[]): string =>
  columns.map(({ name }) => csvCell(name)).join(',');

/** Empty text is quoted, because an empty cell is a missing value. */
function csvCell(text: string): string {
  return text === '' || /[",\r\n]/.test(text) || text.trim() !== text
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
