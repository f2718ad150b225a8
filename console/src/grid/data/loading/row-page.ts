/** Maximum page size of the API. */
export const MAX_LIMIT = 200;

/** Page size if full pages exceed the maximum size of a response. */
export const SMALL_LIMIT = 10;

export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

/**
 * Returns the pages of `limit` rows with the rows from `startRow` to `endRow`, exclusive.
 * @throws RangeError if the rows do not start and end with a page.
 */
export function pagesOf(startRow: number, endRow: number, limit: number): PageRequest[] {
  if (startRow % limit !== 0 || endRow % limit !== 0 || endRow <= startRow) {
    throw new RangeError(`Rows ${startRow} to ${endRow} are no pages of ${limit}.`);
  }
  return Array.from({ length: (endRow - startRow) / limit }, (_, index) => ({
    page: startRow / limit + index + 1,
    limit,
  }));
}

/** Returns the index of a row number, within the existing rows; `null` if it is no number. */
export function rowIndexOf(typed: string, total: number): number | null {
  const text = typed.trim();
  if (!/^(\d{1,15}|\d{1,3}([\s.,'’]\d{3}){1,4})$/.test(text) || total === 0) return null;
  return Math.min(Math.max(Number(text.replace(/\D/g, '')), 1), total) - 1;
}

/** Returns the version of the columns from the `ETag` of a page. */
export function schemaVersionOf(etag: string | undefined): number | null {
  const match = /^(?:W\/)?"\d+-(\d+)/.exec(etag ?? '');
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** Returns the revision of the datagrid from the `ETag` of a page. */
export function revisionOf(etag: string | undefined): number | null {
  const match = /^(?:W\/)?"(\d+)-/.exec(etag ?? '');
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** Returns the ETag of one row, which a list does not contain. */
export function rowEtag(revision: number, schemaVersion: number): string {
  return `"${revision}-${schemaVersion}"`;
}
