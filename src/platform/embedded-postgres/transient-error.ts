import { errorCode } from './errno';

/**
 * Whether a failed connection may succeed later: a network error, with a system code (`EPIPE`) or
 * none, or an error of a server that is starting, stopping or recovering (classes 08 and 57) or has
 * no free connection (53300).
 */
export function mayPass(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined || /^(E|08|57|53300)/.test(code);
}
