/**
 * Whether to start the server again after an attempt that ended with `outcome` and printed
 * `logTail`. This is the case if another process was first and has stopped its server since, or if
 * processes of a killed server are still shutting down.
 */
export function isWorthAnother(outcome: string, logTail: string): boolean {
  if (outcome === 'status 0') return true;
  return /lock file ".*" (already exists|is empty)|pre-existing shared memory block/.test(logTail);
}
