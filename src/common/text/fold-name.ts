/**
 * The form under which two names are the same name, ignoring case: `Ä` and `ä`, `ß` and `SS`, a
 * final and a middle sigma, composed and decomposed letters. For comparing and for unique
 * indexes, never for showing. Folding a folded name changes nothing.
 */
export function foldName(name: string): string {
  return (
    name
      .normalize('NFC')
      // Lower case first: the capital sharp s is its own upper case, but its lower case is `ß`.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      // The one letter whose lower case depends on its neighbours.
      .replaceAll('ς', 'σ')
      .normalize('NFC')
  );
}
