import { request } from './client';

/** Items of one page. */
const PER_PAGE = 50;

export interface PageOf<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly pages: number;
}

/** Reads a page, or the last one if the items of this one are gone. */
export async function readPage<T>(
  path: string,
  page: number,
  signal: AbortSignal,
): Promise<PageOf<T>> {
  const query = { page, limit: PER_PAGE };
  const { data, meta } = await request<readonly T[]>('GET', path, { query, signal });
  const pages = Math.max(1, (meta as { totalPages?: number }).totalPages ?? 1);
  return page > pages ? readPage(path, pages, signal) : { items: data, page, pages };
}
