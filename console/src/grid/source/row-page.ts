/** Rows that the API gives at once at most. */
export const MAX_LIMIT = 200;

/** Rows that are asked for at a time where whole pages are too large to be answered. */
export const SMALL_LIMIT = 10;

export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

/**
 * The pages of `limit` rows that hold the rows from `startRow` up to and without `endRow`.
 *
 * @throws RangeError Where the rows do not begin and end with a page.
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

/** Where a row was asked for by its number: from 0, within what there is; `null` for no number. */
export function rowIndexOf(typed: string, total: number): number | null {
  const text = typed.trim();
  if (!/^(\d{1,15}|\d{1,3}([\s.,'’]\d{3}){1,4})$/.test(text) || total === 0) return null;
  return Math.min(Math.max(Number(text.replace(/\D/g, '')), 1), total) - 1;
}

/** The version of the columns that rows of a page were printed with, told by the page's `ETag`. */
export function schemaVersionOf(etag: string | undefined): number | null {
  const match = /^(?:W\/)?"\d+-(\d+)/.exec(etag ?? '');
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** The validator of one row, which the list does not give row by row. */
export function rowEtag(revision: number, schemaVersion: number): string {
  return `"${revision}-${schemaVersion}"`;
}
