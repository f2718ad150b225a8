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
  const others = otherParameters(query);
  const link = (relation: string, target: number): string => {
    const search = new URLSearchParams([
      ['page', String(target)],
      ['limit', String(limit)],
      ...others,
    ]);
    return `<${headerSafe(path)}?${search.toString()}>; rel="${relation}"`;
  };
  const links = [link('first', 1)];
  if (page > 1) links.push(link('prev', Math.min(page - 1, totalPages)));
  if (page < totalPages) links.push(link('next', page + 1));
  links.push(link('last', totalPages));
  return links.join(', ');
}

function otherParameters(query: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(query)
    .filter(([name]) => name !== 'page' && name !== 'limit')
    .flatMap(([name, value]) => {
      const values: unknown[] = Array.isArray(value) ? value : [value];
      return values
        .filter((item) => typeof item === 'string')
        .map((item): [string, string] => [name, item]);
    });
}

/** Escapes what would end the URL or the header; a percent sign is taken for an escape already. */
function headerSafe(path: string): string {
  return path.replace(/[^\x21-\x7e]|[<>"]/gu, (character) => encodeURIComponent(character));
}
