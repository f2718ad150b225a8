import { isApiError } from './api-error';

/** A random name for one change. Also where the browser takes the page for insecure (plain HTTP). */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Names a change for as long as nobody knows whether it was made: the same one, sent again after a
 * lost answer, is made once.
 */
export class AttemptKey {
  private open: { readonly text: string; readonly key: string } | undefined;

  /** @param send Gets the key. What it throws is thrown. */
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
