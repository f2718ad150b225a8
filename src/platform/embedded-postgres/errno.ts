/**
 * Returns the system error code (`ENOENT`, `EEXIST`, …) or PostgreSQL's SQLSTATE of an error.
 * @returns `undefined` if there is none.
 */
export function errorCode(error: unknown): string | undefined {
  // Not `instanceof Error`, because Node's own errors may come from another realm.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the result of `operation`, or `fallback` if it fails with one of `codes`. */
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
