import { BareJson } from '../common/envelope/bare-json';

/** A list that is always given whole, in the envelope of lists: one page, however long. */
export function wholeList(items: readonly object[]): BareJson {
  const { length } = items;
  const meta = { total: length, page: 1, pageSize: length, totalPages: length === 0 ? 0 : 1 };
  return new BareJson(JSON.stringify({ data: items, meta }));
}
