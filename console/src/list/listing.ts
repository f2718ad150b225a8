import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { dataRequest } from '../api/data';
import { queryClient } from '../query-client';

export const PAGE_SIZE = 20;

/** Maximum number of pages that a search reads, of the maximum page size of the API. */
const SEARCHED_PAGES = 25;
const SEARCHED_PAGE_SIZE = 200;

/** Maximum number of items that a search reads. */
export const MAX_SEARCHED = SEARCHED_PAGES * SEARCHED_PAGE_SIZE;

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

export interface Listing<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly pages: number;
  /** True if the search did not read all items. */
  readonly isCut?: boolean;
}

export interface ListQuery {
  /** Path in the public API. */
  readonly path: string;
  /** Query parameters other than page and limit; the same for every page. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly page: number;
  readonly search: string;
}

interface AllItems<T> {
  readonly items: readonly T[];
  readonly isCut: boolean;
}

/** Reads a page of a list. The API cannot search these lists, so a search reads all items. */
export function useListing<T extends Named>({
  path,
  query,
  page,
  search,
}: ListQuery): UseQueryResult<Listing<T>> {
  const isSearch = search.trim() !== '';
  return useQuery({
    queryKey: ['list', path, isSearch ? 'all' : page],
    queryFn: async ({ signal }): Promise<Listing<T> | AllItems<T>> =>
      isSearch ? readAll<T>({ path, query }, signal) : readPage<T>({ path, query }, page, signal),
    select: (found): Listing<T> => ('pages' in found ? found : matching(found, search, page)),
    placeholderData: keepPreviousData,
  });
}

/** Returns true once a list is known to have no items. */
export const useIsEmpty = (list: ListOf): boolean =>
  useListing({ ...list, page: 1, search: '' }).data?.total === 0;

/** Reloads all lists and the trash, because a change of one item may affect several. */
export async function reloadLists(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['list'] });
}

type ListOf = Pick<ListQuery, 'path' | 'query'>;

async function readPage<T>(
  { path, query: own }: ListOf,
  page: number,
  signal: AbortSignal,
): Promise<Listing<T>> {
  const query = { ...own, page, limit: PAGE_SIZE };
  const { data, meta } = await dataRequest<readonly T[]>('GET', path, { query, signal });
  return { items: data, total: meta?.total ?? data.length, pages: meta?.totalPages ?? 1 };
}

async function readAll<T>({ path, query: own }: ListOf, signal: AbortSignal): Promise<AllItems<T>> {
  const items: T[] = [];
  for (let page = 1; page <= SEARCHED_PAGES; page += 1) {
    const query = { ...own, page, limit: SEARCHED_PAGE_SIZE };
    const { data, meta } = await dataRequest<readonly T[]>('GET', path, { query, signal });
    items.push(...data);
    if (page >= (meta?.totalPages ?? 1)) return { items, isCut: false };
  }
  return { items, isCut: true };
}

/** Returns the page of items whose name or description contains the words, ignoring case. */
export function matching<T extends Named>(
  all: AllItems<T>,
  search: string,
  page: number,
): Listing<T> {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = all.items.filter(({ name, description = '' }) => {
    const text = `${name} ${description}`.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
  return {
    items: found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    total: found.length,
    pages: Math.ceil(found.length / PAGE_SIZE),
    isCut: all.isCut,
  };
}
