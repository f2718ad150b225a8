import type { Caller } from '../../common/caller/caller';

/**
 * Originator of an audited action: a caller; an operator who runs a command; the service itself; or
 * `nobody` for a failed sign-in, whose originator is unknown.
 */
export type Actor =
  Pick<Caller, 'userId' | 'keyId' | 'sessionId'> | 'operator' | 'service' | 'nobody';

/** How the actor got access. For a caller: an API key, the console, or an invite link. */
export type Via = 'key' | 'console' | 'link' | 'operator' | 'service' | 'nobody';

export function viaOf(by: Actor): Via {
  if (typeof by === 'string') return by;
  if (by.keyId !== null) return 'key';
  return by.sessionId === null ? 'link' : 'console';
}
