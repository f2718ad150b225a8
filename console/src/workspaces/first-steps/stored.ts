/** Returns whether this browser remembers something. */
export function isStored(name: string): boolean {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

/** Remembers something in this browser. */
export function store(name: string): void {
  try {
    localStorage.setItem(name, 'over');
  } catch {
    // Without storage, the choice lasts until the page is loaded again.
  }
}
