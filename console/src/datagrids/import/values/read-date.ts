/** Order of day, month and year in dates that are not in ISO 8601. */
export type DateOrder = 'dmy' | 'mdy';

/** Midnight of a day is the day: workbooks have such times for dates. */
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:T00:00:00)?$/;
const YEAR_FIRST = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const TIME =
  /^(\S+?)(?:T|,?\s+)(\d{1,2}:\d{2})(?::(\d{2})(\.\d{1,3}0*)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Reads a date such as `31.12.2025`, `12/31/2025` or `2025-12-31`.
 * @returns the date as `2025-12-31`; undefined if it is none.
 */
export function readDate(text: string, order: DateOrder): string | undefined {
  const trimmed = text.trim();
  const first = ISO.exec(trimmed) ?? YEAR_FIRST.exec(trimmed);
  if (first) return validDate(first[1], first[2], first[3]);
  const last = YEAR_LAST.exec(trimmed);
  if (!last) return undefined;
  const [, a, , b, year] = last;
  return order === 'dmy' ? validDate(year, b, a) : validDate(year, a, b);
}

/**
 * Reads a date with a time. A time without an offset is in UTC.
 * @returns the time as RFC 3339; undefined if it is none.
 */
export function readDatetime(text: string, order: DateOrder): string | undefined {
  const match = TIME.exec(text.trim());
  if (!match) return undefined;
  const [, day = '', minutes = '', seconds = '00', fraction = '', offset = 'Z'] = match;
  const date = readDate(day, order);
  const time = minutes.padStart(5, '0');
  if (date === undefined || time > '23:59' || minutes.slice(-2) > '59' || seconds > '59') {
    return undefined;
  }
  const zone = /^z$/i.test(offset) ? 'Z' : offset.replace(/^(...)(\d\d)$/, '$1:$2');
  return `${date}T${time}:${seconds}${fraction}${zone}`;
}

function validDate(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${text}T00:00:00Z`);
  const isValid = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return isValid && year > '0000' ? text : undefined;
}

/** What the texts of a file say about its dates. */
export interface OrderEvidence {
  readonly order: DateOrder;
  /** A text that can be read both ways, if the others do not decide, or not all in the same way. */
  readonly ambiguous?: string;
}

/** Detects the order of dates from texts of cells. Dates with points are day first. */
export function detectOrder(texts: Iterable<string>): OrderEvidence {
  const votes = { dmy: 0, mdy: 0 };
  let ambiguous: string | undefined;
  for (const text of texts) {
    const day = text.trim().split(/[T\s,]/)[0] ?? '';
    const match = YEAR_LAST.exec(day);
    if (!match) continue;
    const isDay = readDate(day, 'dmy') !== undefined;
    const isMonth = readDate(day, 'mdy') !== undefined;
    if (isDay && (match[2] === '.' || !isMonth)) votes.dmy += 1;
    else if (isMonth && !isDay) votes.mdy += 1;
    else if (isDay && match[1]?.padStart(2, '0') !== match[3]?.padStart(2, '0')) ambiguous ??= day;
  }
  const order = votes.mdy > votes.dmy ? 'mdy' : 'dmy';
  const isDecided = votes.dmy === 0 ? votes.mdy > 0 : votes.mdy === 0;
  return isDecided || ambiguous === undefined ? { order } : { order, ambiguous };
}
