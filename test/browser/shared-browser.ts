import type { Browser } from 'playwright-core';
import { openBrowser } from './browser';

declare global {
  /** Playwright kills the browser of a worker when the worker exits. */
  var browserOfWorker: Promise<Browser> | undefined;
}

/** Returns the browser that all browser tests of a worker share. Each visitor has its own profile. */
export function sharedBrowser(): Promise<Browser> {
  return (globalThis.browserOfWorker ??= openBrowser());
}
