/** On a busy machine; a test has 30 s. */
const PATIENCE_MS = 20_000;
const INTERVAL_MS = 5;

/** Waits until `read` gives something other than `undefined` or `false`, and gives that. */
export async function eventually<T>(
  read: () => T | false | undefined | Promise<T | false | undefined>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline)
      throw new Error(`Not within ${String(patienceMs)} ms: ${String(read)}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
