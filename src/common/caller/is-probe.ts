const PROBES = '/health/';

/**
 * Whether a path is that of a probe. Probes come every few seconds from the machine itself, carry
 * nothing, and are answered whatever there is to do; nobody looks for them in traces.
 */
export function isProbe(path: string): boolean {
  return path.startsWith(PROBES);
}
