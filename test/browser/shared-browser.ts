import type { Browser } from 'playwright-core';
import { openBrowser } from './browser';

declare global {
  var browserOfWorker: Promise<Browser> | undefined;
  /** Ends the browser that the files of this process share. */
  var closeBrowser: (() => Promise<void>) | undefined;
}

/** Returns the browser that all browser tests of a worker share. Each visitor has its own profile. */
export function sharedBrowser(): Promise<Browser> {
  // Playwright kills the browser of a worker when the worker exits.
  globalThis.closeBrowser ??= async () => (await globalThis.browserOfWorker)?.close();
  return (globalThis.browserOfWorker ??= openBrowser());
}
