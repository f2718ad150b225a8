/** How often the last use of a key is written, at most. */
export const LAST_USED_EVERY_SECONDS = 300;

/** In how many seconds a key's use is to be written again; 0 for now. */
export function secondsUntilTouch({
  usedAgoSeconds,
}: {
  readonly usedAgoSeconds: number | null;
}): number {
  return usedAgoSeconds === null ? 0 : Math.max(0, LAST_USED_EVERY_SECONDS - usedAgoSeconds);
}
