import type { Caller } from '../../common/caller/caller';

/**
 * Who does something: a caller; an operator, by a command; the service, by itself; nobody that
 * could be told, where a sign-in fails.
 */
export type Actor =
  Pick<Caller, 'userId' | 'keyId' | 'sessionId'> | 'operator' | 'service' | 'nobody';

/** What they came by: besides, a key, the console, or an invite's link. */
export type Via = 'key' | 'console' | 'link' | 'operator' | 'service' | 'nobody';

export function viaOf(by: Actor): Via {
  if (typeof by === 'string') return by;
  if (by.keyId !== null) return 'key';
  return by.sessionId === null ? 'link' : 'console';
}
