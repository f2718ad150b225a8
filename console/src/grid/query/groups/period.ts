import { isDay, isTime, showTime } from '../../../common/shown-time';
import type { Column, JsonValue } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';

/** Periods by which dates and times are grouped, in UTC, as in the API. Weeks start on Monday. */
export const DATE_BUCKETS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type DateBucket = (typeof DATE_BUCKETS)[number];

/** Days as `YYYY-MM-DD`. */
export interface Period {
  readonly first: string;
  /** First day of the next period; `null` after the last day that the API takes. */
  readonly next: string | null;
}

const LAST_YEAR = 9_999;

/**
 * Returns the period by which a column is grouped, from the name of one.
 * @returns `day` for dates without a period, and `null` to group by the values themselves.
 */
export function bucketOf(
  column: Pick<Column, 'type'> | undefined,
  name: string | null,
): DateBucket | null {
  if (!column || !isTime(column.type)) return null;
  const bucket = DATE_BUCKETS.find((one) => one === name);
  return bucket ?? (column.type === 'date' ? 'day' : null);
}

/** Returns the period that contains a day; `null` if the value is not a day. */
export function periodOf(bucket: DateBucket, value: JsonValue): Period | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value) || !isDay(value)) return null;
  const day = timeOf(value);
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()];
  const months = (first: number, count: number): Period =>
    period([year, first, 1], [year, first + count, 1]);
  switch (bucket) {
    case 'day':
      return period([year, month, date], [year, month, date + 1]);
    case 'week': {
      const monday = date - ((day.getUTCDay() + 6) % 7);
      return period([year, month, monday], [year, month, monday + 7]);
    }
    case 'month':
      return months(month, 1);
    case 'quarter':
      return months(month - (month % 3), 3);
    case 'year':
      return months(0, 12);
  }
}

type Parts = readonly [year: number, month: number, day: number];

function period(first: Parts, next: Parts): Period {
  const end = utc(next);
  return {
    first: isoOf(utc(first)),
    next: end.getUTCFullYear() > LAST_YEAR ? null : isoOf(end),
  };
}

/** `Date.UTC` would move the years 0 to 99 to the 20th century. */
function utc(parts: Parts): Date {
  const time = new Date(0);
  time.setUTCFullYear(...parts);
  return time;
}

const timeOf = (day: string): Date => new Date(`${day}T00:00:00Z`);
const isoOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Returns the name of a period. @param first Its first day. */
export type ShowPeriod = (bucket: DateBucket, first: string) => string;

/** Returns how a locale names periods, which are those of the Gregorian calendar everywhere. */
export function periodsIn(locale?: string, showDay = showTime): ShowPeriod {
  const options = { calendar: 'gregory', timeZone: 'UTC', year: 'numeric' } as const;
  const years = new Intl.DateTimeFormat(locale, options);
  const months = new Intl.DateTimeFormat(locale, { ...options, month: 'long' });
  return (bucket, first) => {
    const time = timeOf(first);
    switch (bucket) {
      case 'day':
        return showDay('date', first);
      case 'week':
        return gridText.groups.week(showDay('date', first));
      case 'month':
        return months.format(time);
      case 'quarter':
        return gridText.groups.quarter(Math.floor(time.getUTCMonth() / 3) + 1, years.format(time));
      case 'year':
        return years.format(time);
    }
  };
}

/** Names periods in the browser's own locale. */
export const showPeriod = periodsIn();
