/** Returns the ETag of a row. The printed row depends only on its last write and on the columns. */
export function rowEtag(revision: number, schemaVersion: number): string {
  return `"${String(revision)}-${String(schemaVersion)}"`;
}
