/**
 * Whether the client has this version already, as its `If-None-Match` says. What cannot be read
 * there names no version: it costs no more than the answer in full.
 */
export function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  // A proxy that compresses makes a validator weak; for a read that is as good.
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
