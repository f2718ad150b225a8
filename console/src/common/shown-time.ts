/** Times in RFC 3339 with an offset, as the API returns them. The first group is the day. */
const DATETIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const DATE = /^(\d{4}-\d{2}-\d{2})$/;

/** Returns the text of a date or a time for the reader, and any other text unchanged. */
export type ShowTime = (type: string, text: string) => string;

/** Returns how a locale shows values of the types `date` and `datetime`. */
export function timesIn(locale?: string): ShowTime {
  const day = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const;
  // In UTC with its name, because a typed time without an offset is one in UTC.
  const minutes = { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
  const dates = new Intl.DateTimeFormat(locale, day);
  const times = new Intl.DateTimeFormat(locale, minutes);
  const timesWithSeconds = new Intl.DateTimeFormat(locale, { ...minutes, second: '2-digit' });
  return (type, text) => {
    if (!isTime(type)) return text;
    const match = (type === 'date' ? DATE : DATETIME).exec(text);
    if (!match?.[1] || !isDay(match[1])) return text;
    const time = new Date(text);
    if (Number.isNaN(time.getTime())) return text;
    if (type === 'date') return dates.format(time);
    const isWhole = time.getUTCSeconds() + time.getUTCMilliseconds() === 0;
    return (isWhole ? times : timesWithSeconds).format(time);
  };
}

/** Returns whether values of a type are dates or times. Their exact text is worth a title. */
export const isTime = (type: string): boolean => type === 'date' || type === 'datetime';

/** Shows dates and times in the browser's own locale. */
export const showTime = timesIn();

/** Returns whether a day exists: February has no day 30, which `Date` would move to March. */
export function isDay(iso: string): boolean {
  const time = Date.parse(`${iso}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso);
}
