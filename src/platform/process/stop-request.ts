/** Request to stop the process. */
export interface StopRequest {
  /** Resolves with the first SIGINT or SIGTERM. Rejects with the first uncaught exception. */
  readonly made: Promise<NodeJS.Signals>;
  /** Returns whether the promise has settled. */
  isMade(): boolean;
}

/**
 * Listens for signals and uncaught exceptions. From this call on, none of them ends the process by
 * itself: work in progress is completed, and later signals and exceptions have no effect. (Under
 * npm, Ctrl-C arrives twice: from the terminal, and forwarded by npm.)
 */
export function stopRequest(): StopRequest {
  let isMade = false;
  const made = new Promise<NodeJS.Signals>((resolve, reject) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
    process.on('uncaughtException', reject);
  });
  const note = (): void => {
    isMade = true;
  };
  // Callers that await `made` also see a rejection. Until one does, this prevents an unhandled
  // rejection.
  made.then(note, note);
  return { made, isMade: () => isMade };
}
