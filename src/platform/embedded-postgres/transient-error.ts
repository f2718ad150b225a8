import { errorCode } from './errno';

/**
 * Whether waiting may help against a failure to connect: one of the network, whose code is the
 * system's (`EPIPE`) or none, or that of a server that starts, stops, recovers (classes 08 and 57)
 * or has no connection to spare (53300).
 */
export function mayPass(error: unknown): boolean {
  const code = errorCode(error);
  return code === undefined || /^(E|08|57|53300)/.test(code);
}
