/** Heap size and memory limit as in the Kubernetes manifests. */
export const HEAP = '--max-old-space-size=640';
export const MEMORY_LIMIT_MIB = 1024;

export const INSTANCES = 2;

/** Enough keys to stay below the rate limit of each. */
export const VICTIM_KEYS = 4;

/** Whether latencies are measured. Otherwise the tests prove only what does not depend on time. */
export const IS_MEASURED = process.env['FAIRNESS'] === 'measured';

/** Returns the size of an attack: `measured` if latencies are measured, otherwise `proven`. */
export const sized = (measured: number, proven: number): number =>
  IS_MEASURED ? measured : proven;
