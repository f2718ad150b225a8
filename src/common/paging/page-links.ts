import type { PageRequest } from './page-request';

/**
 * The value of a list's `Link` header by RFC 8288, with relative URLs: `first`, `prev`, `next`
 * and `last`, each where there is such a page. Past the end, `prev` is the last page. `query`
 * is the request's: what it holds beside `page` and `limit` is kept. Empty where the list is.
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

/** What the query holds beside `page` and `limit`, each with an ampersand before it. */
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

/** Escapes what would end the URL or the header; a percent sign is taken for an escape already. */
function headerSafe(path: string): string {
  return path.replace(/[^\x21-\x7e]|[<>"]/gu, (character) => encodeURIComponent(character));
}
