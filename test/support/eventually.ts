/** Long enough for a machine at load 12. The timeout of a test is 60 s. */
const PATIENCE_MS = 45_000;
const INTERVAL_MS = 5;

/**
 * Waits until `read` returns a value other than `undefined` or `false`, and returns this value.
 * @param intervalMs Time between two reads. A long one leaves the machine to what it waits for.
 */
export async function eventually<T>(
  read: () => T | false | undefined | Promise<T | false | undefined>,
  patienceMs = PATIENCE_MS,
  intervalMs = INTERVAL_MS,
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline)
      throw new Error(`Not within ${String(patienceMs)} ms: ${String(read)}`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
