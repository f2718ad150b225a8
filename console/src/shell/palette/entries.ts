/** Something that the palette opens. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  /** Kind or place, such as the workspace of a datagrid. */
  readonly note: string;
  /** Path of the page, or the name of an action. */
  readonly to: string;
  /** True if the browser loads another page. */
  readonly isDocument?: boolean;
}

const MAX_SHOWN = 12;

/**
 * Returns the entries whose name and note contain all words, the ones whose name starts with the text
 * first. The rest keeps its order.
 */
export function matching(entries: readonly Entry[], typed: string): readonly Entry[] {
  const wanted = folded(typed);
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  const found = entries.filter(({ name, note }) => {
    const all = folded(`${name} ${note}`);
    return words.every((word) => all.includes(word));
  });
  const starts = found.filter(({ name }) => wanted !== '' && folded(name).startsWith(wanted));
  const others = found.filter((entry) => !starts.includes(entry));
  return [...starts, ...others].slice(0, MAX_SHOWN);
}

/** Returns a text without case and accents. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase();
}
