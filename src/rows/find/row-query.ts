import { invalidRequest } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import { JsonRefusedError } from '../../common/json/json-refused-error';
import { readJson } from '../../common/json/read-json';
import { parsePageRequest, type PageRequest } from '../../common/paging/page-request';
import { isTooLongToSearch, SEARCH_LENGTH_MESSAGE } from './filter/search-length';
import { refuseOthers } from '../values/body-members';

/** Query parameters of a row list, in addition to `page` and `limit`. */
export const ROW_QUERY_MEMBERS = ['filter', 'sort', 'fields', 'q', 'cursor'] as const;

/** A row query whose syntax is checked, but not yet its columns. */
export interface RowQuery {
  readonly paging: PageRequest;
  /** Parsed JSON; undefined if there is no filter. */
  readonly filter: unknown;
  readonly sort: string | undefined;
  readonly fields: string | undefined;
  readonly q: string | undefined;
  /** Empty for the first page of a keyset scan; undefined if pages are numbered. */
  readonly cursor: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** Types of the properties of a body. In a URL, all parameters are strings. */
const BODY_TYPES = [
  ['page', 'number'],
  ['limit', 'number'],
  ['sort', 'string'],
  ['fields', 'string'],
  ['q', 'string'],
  ['cursor', 'string'],
] as const;

/** Reads a row query from the parameters of a URL. @throws AppError `invalid_request` */
export function rowQueryFromUrl(query: Members): RowQuery {
  const { filter } = query;
  return rowQuery(query, typeof filter === 'string' ? filterFromText(filter) : filter);
}

/**
 * Reads a row query from a body, in which `filter` is a JSON object, and `page` and `limit` are
 * numbers.
 * @throws AppError `invalid_request`
 */
export function rowQueryFromBody(body: unknown): RowQuery {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw refused('body', 'wrong_type', 'must be a JSON object');
  }
  refuseOthers(body as Members, ['page', 'limit', ...ROW_QUERY_MEMBERS], '');
  const members = body as Members;
  const errors = BODY_TYPES.flatMap(([name, type]) => wrongType(members, name, type));
  const { page, limit, filter, ...others } = members;
  if (
    filter !== undefined &&
    (typeof filter !== 'object' || filter === null || Array.isArray(filter))
  ) {
    errors.push({ field: 'filter', code: 'wrong_type', message: 'must be a JSON object' });
  }
  if (errors.length > 0) throw invalidRequest(errors);
  const counts = Object.entries({ page, limit }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value as number)] as const],
  );
  return rowQuery({ ...others, ...Object.fromEntries(counts) }, filter);
}

function wrongType(members: Members, name: string, type: string): FieldError[] {
  const value = members[name];
  if (value === undefined || typeof value === type) return [];
  return [{ field: name, code: 'wrong_type', message: `must be a ${type}` }];
}

function rowQuery(members: Members, filter: unknown): RowQuery {
  const parsed = parsePageRequest(members);
  const errors: FieldError[] = parsed.ok ? [] : parsed.errors;
  const text = (name: 'sort' | 'fields' | 'q' | 'cursor'): string | undefined => {
    const value = members[name];
    if (value === undefined || typeof value === 'string') return value;
    const isRepeated = Array.isArray(value);
    errors.push({
      field: name,
      code: isRepeated ? 'duplicate_parameter' : 'wrong_type',
      message: isRepeated ? 'must be given at most once' : 'must be a string',
    });
    return undefined;
  };
  const [sort, fields, q, cursor] = [text('sort'), text('fields'), text('q'), text('cursor')];
  if (Array.isArray(members['filter'])) {
    errors.push({
      field: 'filter',
      code: 'duplicate_parameter',
      message: 'must be given at most once',
    });
  }
  if (cursor !== undefined && members['page'] !== undefined) {
    errors.push({
      field: 'page',
      code: 'incompatible_parameters',
      message: 'must not be combined with cursor',
    });
  }
  if (q === '') errors.push({ field: 'q', code: 'invalid_format', message: 'must not be empty' });
  if (isTooLongToSearch(q)) {
    errors.push({ field: 'q', code: 'out_of_range', message: SEARCH_LENGTH_MESSAGE });
  }
  if (q?.includes('\0') === true) {
    errors.push({
      field: 'q',
      code: 'invalid_text',
      message: 'must not contain the NUL character',
    });
  }
  if (errors.length > 0 || !parsed.ok) throw invalidRequest(errors);
  return { paging: parsed.value, filter, sort, fields, q, cursor };
}

function filterFromText(text: string): unknown {
  try {
    return readJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof JsonRefusedError)) throw error;
    const field = error.field === undefined ? 'filter' : `filter.${error.field}`;
    throw refused(field, error.code, error.message);
  }
}

function refused(field: string, code: string, message: string): Error {
  return invalidRequest([{ field, code, message }]);
}
