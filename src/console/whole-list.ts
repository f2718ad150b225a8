import { BareJson } from '../common/envelope/bare-json';

/** Returns a complete list in the list envelope: one page of any length. */
export function wholeList(items: readonly object[]): BareJson {
  const { length } = items;
  const meta = { total: length, page: 1, pageSize: length, totalPages: length === 0 ? 0 : 1 };
  return new BareJson(JSON.stringify({ data: items, meta }));
}
