import { setFlagsFromString } from 'node:v8';

/**
 * Of what is in use after a full collection of garbage, in percent, so much more may come before
 * the next. V8 lets a heap as small as the service's grow to four times: most of the memory of a
 * long import would be garbage that is in nobody's way, and too little for a collection.
 */
const GROWTH_PERCENT = 100;

/** Keeps this process's heap small, for a few more full collections, of some 15 ms each. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${String(GROWTH_PERCENT)}`);
}
