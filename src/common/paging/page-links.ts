import type { PageRequest } from './page-request';

/**
 * Returns the value of a list's `Link` header by RFC 8288, with relative URLs: `first`, `prev`,
 * `next` and `last`, each if such a page exists. Past the end, `prev` is the last page. Parameters
 * of `query` other than `page` and `limit` are kept. Returns an empty string if the list is empty.
 */
export function pageLinks(
  path: string,
  request: PageRequest,
  query: Readonly<Record<string, unknown>>,
  totalPages: number,
): string {
  if (totalPages === 0) return '';
  const { page, limit } = request;
  const base = headerSafe(path);
  const rest = `&limit=${String(limit)}${otherParameters(query)}`;
  const link = (relation: string, target: number): string =>
    `<${base}?page=${String(target)}${rest}>; rel="${relation}"`;
  const links = [link('first', 1)];
  if (page > 1) links.push(link('prev', Math.min(page - 1, totalPages)));
  if (page < totalPages) links.push(link('next', page + 1));
  links.push(link('last', totalPages));
  return links.join(', ');
}

const isPaging = (name: string): boolean => name === 'page' || name === 'limit';

/**
 * Returns the parameters of the query other than `page` and `limit`, each preceded by an ampersand.
 */
function otherParameters(query: Readonly<Record<string, unknown>>): string {
  if (Object.keys(query).every(isPaging)) return '';
  const others = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (isPaging(name)) continue;
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof item === 'string') others.append(name, item);
    }
  }
  return others.size === 0 ? '' : `&${others.toString()}`;
}

/** Escapes characters that would end the URL or the header. Existing percent escapes are kept. */
function headerSafe(path: string): string {
  return path.replace(/[^\x21-\x7e]|[<>"]/gu, (character) => encodeURIComponent(character));
}
