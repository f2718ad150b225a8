/** What is printed of a row depends on its last write and on the columns. */
export function rowEtag(revision: number, schemaVersion: number): string {
  return `"${String(revision)}-${String(schemaVersion)}"`;
}
