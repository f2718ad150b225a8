import type { Page } from './row-types.ts';
import type { CallOptions } from './transport.ts';

export interface PageOptions extends CallOptions {
  /** Number of the page, from 1, which is the default. */
  readonly page?: number | undefined;
  /** Items on a page, from 1 to 200; 20 by default. */
  readonly limit?: number | undefined;
}

/** Yields the pages of a list, from `first` to the last one. An empty list has one empty page. */
export async function* pagesOf<Item>(
  read: (page: number) => Promise<Page<Item>>,
  first = 1,
): AsyncGenerator<Page<Item>> {
  for (let number = first; ; number += 1) {
    const page = await read(number);
    if (number > first && page.data.length === 0) return;
    yield page;
    if (number >= page.meta.totalPages) return;
  }
}

/** Yields the items of pages. */
export async function* itemsOf<Item>(pages: AsyncIterable<Page<Item>>): AsyncGenerator<Item> {
  for await (const { data } of pages) yield* data;
}
