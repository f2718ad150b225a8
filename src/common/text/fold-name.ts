/**
 * Returns the case-insensitive form of a name. It is equal for `Ä` and `ä`, `ß` and `SS`, a final
 * and a medial sigma, and composed and decomposed letters. Use it for comparisons and unique
 * indexes, never for display. Folding a folded name changes nothing.
 */
export function foldName(name: string): string {
  return (
    name
      .normalize('NFC')
      // Convert to lower case first: the capital sharp s is its own upper case, but its lower case
      // is `ß`.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      // Sigma is the only letter whose lower case depends on its neighbors.
      .replaceAll('ς', 'σ')
      .normalize('NFC')
  );
}
