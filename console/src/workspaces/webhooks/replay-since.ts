/** Periods in seconds, and `time` for a time that the user enters. */
export const REPLAY_CHOICES = [
  { value: '900', label: 'The last 15 minutes' },
  { value: '3600', label: 'The last hour' },
  { value: '86400', label: 'The last 24 hours' },
  { value: '259200', label: 'The last 3 days' },
  { value: 'time', label: 'A time' },
] as const;

export type ReplayChoice = (typeof REPLAY_CHOICES)[number]['value'];

/**
 * Returns the time since which events are sent again, in UTC.
 * @param time Value of an input for date and time, in the user's time zone. An incomplete one is
 *   returned unchanged, so that the server names the mistake.
 */
export function sinceOf(choice: ReplayChoice, time: string, nowMs = Date.now()): string {
  if (choice !== 'time') return new Date(nowMs - Number(choice) * 1_000).toISOString();
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
}
