/** The system's code of an error (`ENOENT`, `EEXIST` …), or PostgreSQL's SQLSTATE; undefined where it has none. */
export function errorCode(error: unknown): string | undefined {
  // Not by `instanceof`: an error of Node's own may come from another realm.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The outcome of `operation`, or `fallback` where it fails with one of `codes`. */
export async function unlessCode<T, F>(
  operation: Promise<T>,
  codes: readonly string[],
  fallback: F,
): Promise<T | F> {
  try {
    return await operation;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return fallback;
    throw error;
  }
}
