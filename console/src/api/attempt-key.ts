import { isApiError } from './api-error';

/** Returns a random idempotency key. Also works over plain HTTP, where `randomUUID` is missing. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Keeps the idempotency key of a change until its outcome is known, so that a change that is sent
 * again after a lost response is applied once.
 */
export class AttemptKey {
  private open: { readonly text: string; readonly key: string } | undefined;

  /** @param send Receives the key. Its errors are rethrown. */
  async use<T>(text: string, send: (key: string) => Promise<T>): Promise<T> {
    if (this.open?.text !== text) this.open = { text, key: randomKey() };
    try {
      const result = await send(this.open.key);
      this.open = undefined;
      return result;
    } catch (error) {
      if (isApiError(error) && !error.isOutage) this.open = undefined;
      throw error;
    }
  }
}
