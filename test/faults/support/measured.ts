/**
 * True if times are measured, with `npm run bench:faults`. They depend on what else the machine does, so
 * other runs do not compare them with a limit.
 */
export const isMeasured = process.env['FAULTS'] === 'measured';

/** Expects that something took less time than a limit, if times are measured. */
export function expectWithin(tookMs: number, limitMs: number): void {
  if (isMeasured) expect(tookMs).toBeLessThan(limitMs);
}
