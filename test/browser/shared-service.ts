import type { Browser } from 'playwright-core';
import { TestApp } from '../support/test-app';
import { openBrowser } from './browser';

declare global {
  var serviceOfWorker: Promise<TestApp> | undefined;
  var browserOfWorker: Promise<Browser> | undefined;
  /** Ends what the files of this process share. */
  var closeShared: (() => Promise<void>) | undefined;
}

/** The message of Jest to a worker that has run its last file. */
const END = 2;

/**
 * Jest would wait for the server and the browser, which keep the process alive. A worker exits when it
 * is told to end; Playwright then kills the browser. Without workers, the global teardown closes both.
 */
function endWithWorker(): void {
  if (globalThis.closeShared) return;
  globalThis.closeShared = async () => {
    await (await globalThis.browserOfWorker)?.close();
    await (await globalThis.serviceOfWorker)?.close();
  };
  if (process.send) {
    process.on('message', (message) => {
      if (Array.isArray(message) && message[0] === END) process.exit();
    });
  }
}

/** Returns the service that all browser tests of a worker share. Each file has its own account in it. */
export function sharedService(): Promise<TestApp> {
  endWithWorker();
  return (globalThis.serviceOfWorker ??= TestApp.start());
}

/** Returns the browser that all browser tests of a worker share. Each visitor has its own profile. */
export function sharedBrowser(): Promise<Browser> {
  endWithWorker();
  return (globalThis.browserOfWorker ??= openBrowser());
}
