/** Returns what this browser remembers under a name; `null` for nothing, or without storage. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * Remembers a text in this browser, or forgets it.
 * @returns false without storage, such as in a private window.
 */
export function store(name: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
