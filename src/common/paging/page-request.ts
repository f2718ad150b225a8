import { type FieldError, fieldError } from '../error/app-error';

/** Requested page of a list, and the size of its pages. */
export interface PageRequest {
  /** From 1. */
  page: number;
  /** Items on a full page, from 1 to 200. */
  limit: number;
}

export type ParsedPageRequest =
  | { readonly ok: true; readonly value: PageRequest }
  | { readonly ok: false; readonly errors: FieldError[] };

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
/** Limit that keeps the offset of every page, `(page - 1) * limit`, exact. */
export const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_LIMIT);

/**
 * Parses `page` (default 1) and `limit` (default 20) from a query. Accepts only integers in plain
 * digits, and never adjusts them to the range. Error codes: `duplicate_parameter`,
 * `invalid_format`, `out_of_range`. Ignores other parameters, which the routes validate.
 */
export function parsePageRequest(query: Readonly<Record<string, unknown>>): ParsedPageRequest {
  const errors: FieldError[] = [];
  const read = (name: string, fallback: number, max: number): number => {
    const value = query[name];
    if (value === undefined) return fallback;
    const result = readCount(name, value, max);
    if (typeof result === 'number') return result;
    errors.push(result);
    return fallback;
  };
  const page = read('page', 1, MAX_PAGE);
  const limit = read('limit', DEFAULT_LIMIT, MAX_LIMIT);
  return errors.length > 0 ? { ok: false, errors } : { ok: true, value: { page, limit } };
}

/**
 * Parses an integer from 1 to `max` in plain digits.
 * @returns the integer, or the error.
 */
export function readCount(name: string, value: unknown, max: number): number | FieldError {
  const range = `must be an integer from 1 to ${max}`;
  if (Array.isArray(value))
    return fieldError(name, 'duplicate_parameter', 'must be given at most once');
  if (typeof value !== 'string' || !/^-?(?:0|[1-9]\d*)$/.test(value)) {
    return fieldError(name, 'invalid_format', range);
  }
  const count = Number(value);
  return count >= 1 && count <= max ? count : fieldError(name, 'out_of_range', range);
}

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

/** Characters that would end the URL or the header. */
const UNSAFE = /[^\x21-\x7e]|[<>"]/;

/** Escapes unsafe characters. Existing percent escapes are kept. */
function headerSafe(path: string): string {
  if (!UNSAFE.test(path)) return path;
  return path.replace(/[^\x21-\x7e]|[<>"]/gu, (character) => encodeURIComponent(character));
}

/** The `meta` object of a list. */
export interface PageMeta {
  /** Number of items in the whole list. */
  readonly total: number;
  /** Requested page, from 1. It may be past the end. */
  readonly page: number;
  /**
   * Number of items on this page. It may be below the limit on the last page, and is 0 past the
   * end.
   */
  readonly pageSize: number;
  /** Number of pages in the whole list; 0 if it is empty. */
  readonly totalPages: number;
}

/** Returns the `meta` object of a page with `count` of a list's `total` items. */
export function pageMeta(request: PageRequest, total: number, count: number): PageMeta {
  return {
    total,
    page: request.page,
    pageSize: count,
    totalPages: Math.ceil(total / request.limit),
  };
}

/** Returns whether rows follow a page with `count` of a list's `total` items. */
export function hasRowsAfter({ page, limit }: PageRequest, total: number, count: number): boolean {
  return (page - 1) * limit + count < total && count > 0;
}

/** Cursor of the first page. Programs that leave out empty parameters cannot send an empty cursor. */
export const START_CURSOR = 'start';

/**
 * Returns the end of a datagrid's id, which its cursors contain: a cursor of another datagrid would
 * skip rows.
 */
export const cursorOwner = (datagridId: string): string => datagridId.slice(-12);

/** Returns whether a cursor asks for the first page. */
export const isStart = (cursor: string): boolean => cursor === '' || cursor === START_CURSOR;
