import type { FieldError } from '../error/field-error';

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
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_LIMIT);

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
function readCount(name: string, value: unknown, max: number): number | FieldError {
  const range = `must be an integer from 1 to ${max}`;
  if (Array.isArray(value))
    return problem(name, 'duplicate_parameter', 'must be given at most once');
  if (typeof value !== 'string' || !/^-?(?:0|[1-9]\d*)$/.test(value)) {
    return problem(name, 'invalid_format', range);
  }
  const count = Number(value);
  return count >= 1 && count <= max ? count : problem(name, 'out_of_range', range);
}

function problem(field: string, code: string, message: string): FieldError {
  return { field, code, message };
}
