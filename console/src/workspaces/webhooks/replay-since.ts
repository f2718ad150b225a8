import { webhooksText } from '../../text/webhooks-text';

/** Periods in seconds, and `time` for a time that the user enters. */
const CHOICES = ['900', '3600', '86400', '259200', 'time'] as const;

export type ReplayChoice = (typeof CHOICES)[number];

/** The choices, as options of a select. */
export const REPLAY_CHOICES = CHOICES.map((value) => ({
  value,
  label: webhooksText.replay.choices[value],
}));

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
