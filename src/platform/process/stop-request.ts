/** That the process is to stop. */
export interface StopRequest {
  /** Resolves with the first SIGINT or SIGTERM; rejects with an exception that nobody caught. */
  readonly made: Promise<NodeJS.Signals>;
  /** Whether either has happened. */
  isMade(): boolean;
}

/**
 * From the call on no signal ends the process by itself, nor does an exception: what is in progress
 * is brought to its end, and further ones change nothing. (Ctrl-C comes twice under npm: from the
 * terminal, and passed on.)
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
  // Whoever waits for it hears of a rejection too; before anybody does, it is none that is unhandled.
  made.then(note, note);
  return { made, isMade: () => isMade };
}
