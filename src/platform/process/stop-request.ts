/**
 * Resolves with the first SIGINT or SIGTERM; rejects with an exception that nobody caught. From
 * the call on none of these ends the process by itself: what is under way is brought to its end,
 * and further ones change nothing. (Ctrl-C comes twice under npm: from the terminal, and passed
 * on.)
 */
export function stopRequest(): Promise<NodeJS.Signals> {
  return new Promise((resolve, reject) => {
    process.on('SIGINT', resolve);
    process.on('SIGTERM', resolve);
    process.on('uncaughtException', reject);
  });
}
