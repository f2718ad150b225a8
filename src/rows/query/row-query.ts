import { hash } from 'node:crypto';
import { type FieldError, invalidField, invalidRequest } from '../../common/error/app-error';
import { JsonRejectedError } from '../../common/json/json-error';
import { readJson } from '../../common/json/read-json';
import { type PageRequest, parsePageRequest } from '../../common/paging/page-request';
import type { Parameter } from '../../platform/http/query';
import { COLUMN_TYPE_NAMES, isSearched } from '../../datagrids/column-type/column-type';
import { MAX_KEY_LENGTH } from '../../datagrids/column/dto/column-key';
import { rejectOthers } from '../values/row-values';
import { OPERATORS } from './filter/operators';
import {
  isTooLongToSearch,
  MAX_SEARCH_CHARACTERS,
  SEARCH_LENGTH_MESSAGE,
} from './filter/parse-filter';
import type { RowVersion } from '../storage/row-version.repository';

/** Query parameters of a row list, in addition to `page` and `limit`. */
export const ROW_QUERY_NAMES = ['filter', 'sort', 'fields', 'q', 'cursor', 'view'] as const;

/**
 * A row query as the client sent it. Only its syntax is checked: columns are still keys, and values
 * may not fit them. `queryRequest` turns it into a `QueryRequest`.
 */
export interface RowQuery {
  readonly paging: PageRequest;
  /** Parsed JSON; undefined if there is no filter. */
  readonly filter: unknown;
  readonly sort: string | undefined;
  readonly fields: string | undefined;
  readonly q: string | undefined;
  /** Empty for the first page of a keyset scan; undefined if pages are numbered. */
  readonly cursor: string | undefined;
  /** Id of a saved view, which the query narrows; undefined for none. */
  readonly view: string | undefined;
}

/** A row query, with `expand` as the client sent it. */
export interface RowQueryWithExpand {
  readonly rowQuery: RowQuery;
  /** Paths of link columns; undefined for none. */
  readonly expand: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** Types of the properties of a body. In a URL, all parameters are strings. */
const BODY_TYPES = [
  ['page', 'number'],
  ['limit', 'number'],
  ['sort', 'string'],
  ['fields', 'string'],
  ['expand', 'string'],
  ['q', 'string'],
  ['cursor', 'string'],
  ['view', 'string'],
] as const;

/** Reads a row query and `expand` from the parameters of a URL. @throws AppError `invalid_request` */
export function rowQueryFromUrl(query: Members): RowQueryWithExpand {
  const { filter, expand } = query;
  const parsed = typeof filter === 'string' ? filterFromText(filter) : filter;
  return { rowQuery: rowQuery(query, parsed), expand };
}

/**
 * Reads a row query and `expand` from a body. `filter` is a JSON object, and `page` and `limit` are
 * numbers.
 * @throws AppError `invalid_request`
 */
export function rowQueryFromBody(body: unknown): RowQueryWithExpand {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidField('body', 'wrong_type', 'must be a JSON object');
  }
  rejectOthers(body as Members, ['page', 'limit', 'expand', ...ROW_QUERY_NAMES], '');
  const members = body as Members;
  const errors = BODY_TYPES.flatMap(([name, type]) => wrongType(members, name, type));
  const { page, limit, filter, expand, ...others } = members;
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
  return { rowQuery: rowQuery({ ...others, ...Object.fromEntries(counts) }, filter), expand };
}

function wrongType(members: Members, name: string, type: string): FieldError[] {
  const value = members[name];
  if (value === undefined || typeof value === type) return [];
  return [{ field: name, code: 'wrong_type', message: `must be a ${type}` }];
}

function rowQuery(members: Members, filter: unknown): RowQuery {
  const parsed = parsePageRequest(members);
  const errors: FieldError[] = parsed.ok ? [] : parsed.errors;
  const text = (name: 'sort' | 'fields' | 'q' | 'cursor' | 'view'): string | undefined => {
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
  const sort = text('sort');
  const fields = text('fields');
  const q = text('q');
  const cursor = text('cursor');
  const view = text('view')?.toLowerCase();
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
  if (q !== undefined) errors.push(...searchErrors(q));
  if (errors.length > 0 || !parsed.ok) throw invalidRequest(errors);
  return { paging: parsed.value, filter, sort, fields, q, cursor, view };
}

/** Returns what is wrong with a text to search for. */
export function searchErrors(q: string): FieldError[] {
  const errors: FieldError[] = [];
  if (q === '') errors.push({ field: 'q', code: 'invalid_format', message: 'must not be empty' });
  if (isTooLongToSearch(q)) {
    errors.push({ field: 'q', code: 'out_of_range', message: SEARCH_LENGTH_MESSAGE });
  }
  if (q.includes('\0')) {
    errors.push({
      field: 'q',
      code: 'invalid_text',
      message: 'must not contain the NUL character',
    });
  }
  return errors;
}

function filterFromText(text: string): unknown {
  try {
    return readJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof JsonRejectedError)) throw error;
    const field = error.field === undefined ? 'filter' : `filter.${error.field}`;
    throw invalidField(field, error.code, error.message);
  }
}

const quoted = (name: string): string => `\`${name}\``;

/** Maximum number of names in `fields`: more than the highest setting of MAX_COLUMNS. */
export const MAX_FIELDS = 2_000;

/** Length of the longest valid `fields`: keys, separated by commas. */
export const MAX_FIELDS_LENGTH = MAX_FIELDS * (MAX_KEY_LENGTH + 1) - 1;

/** Length of the longest valid `sort`: four keys, each with a minus, separated by commas. */
export const MAX_SORT_LENGTH = 4 * (MAX_KEY_LENGTH + 1) + 3;

const OPERATOR_NAMES = [
  ...new Set(Object.values(OPERATORS).flatMap((group) => group.map(({ name }) => quoted(name)))),
].join(', ');

const SEARCHED_TYPES = COLUMN_TYPE_NAMES.filter(isSearched)
  .map(quoted)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' and ');

/** Description of `q`, for the OpenAPI document. */
export const SEARCH_DESCRIPTION = `Text to search for in all ${SEARCHED_TYPES} columns, ignoring case.`;

/** Query parameters of a row list, in addition to `page` and `limit`, for the OpenAPI document. */
export const ROW_QUERY_PARAMETERS: readonly Parameter[] = [
  {
    name: 'filter',
    required: false,
    description:
      'Conditions that rows must meet, as a JSON object. Its keys are column keys, `_id`, `_revision`, `_createdAt` or `_updatedAt`. Example: `{"status":"paid","amount":{"$gte":10}}`. A plain value means `$eq`. The operators of a column depend on its type: ' +
      `${OPERATOR_NAMES}. ` +
      'In lists, queries and aggregates, `{"customer":{"$row":{"country":"CH"}}}` matches rows by the values of linked rows. ' +
      'To keep a copy in sync, read `GET …/changes` instead of polling by `_updatedAt`: a poll does not see deleted rows.',
    schema: { type: 'string' },
  },
  {
    name: 'sort',
    required: false,
    description:
      'Up to four names to sort by, separated by commas: column keys, `_id`, `_revision`, `_createdAt` or `_updatedAt`. Example: `-amount,customer`. A minus before a key sorts in descending order. Rows without a value come last, and rows with equal values are ordered by ID.',
    schema: { type: 'string', maxLength: MAX_SORT_LENGTH },
  },
  {
    name: 'fields',
    required: false,
    description:
      'Keys of the columns to return, separated by commas, such as `amount,customer`. The default is all columns.',
    // The length of the URL is the lower limit.
    schema: { type: 'string', minLength: 1 },
  },
  {
    name: 'q',
    required: false,
    description: SEARCH_DESCRIPTION,
    schema: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_CHARACTERS },
  },
  {
    name: 'cursor',
    required: false,
    description:
      'Position in the list, in place of `page`. `start` for the first page; then `meta.nextCursor` of the previous response. A row whose sort values do not change is returned exactly once, whatever is written in the meantime.',
    schema: { type: 'string' },
  },
  {
    name: 'view',
    required: false,
    description:
      'ID of a saved view, whose filter, sort order, search and visible columns apply. `filter` narrows the view further; `sort`, `q` and `fields` replace those of the view. If the view filters or sorts by a column that was removed, the request returns 409.',
    schema: { type: 'string', format: 'uuid' },
  },
];

/** Maximum number of link columns in `expand`, including those that lead to others. */
export const MAX_EXPANDED_COLUMNS = 5;

/** Length of the longest valid `expand`: five pairs of keys. */
export const MAX_EXPAND_LENGTH = MAX_EXPANDED_COLUMNS * (2 * MAX_KEY_LENGTH + 2) - 1;

/** Description of `expand`, for the OpenAPI document. */
export const EXPAND_DESCRIPTION =
  'Link columns whose rows to return in `meta.linked`, separated by commas, such as `customer,lines.product`. To follow a link of the linked rows, add its key after a dot. Up to five columns, and up to 1,000 rows for each. If you send `fields`, it must contain the columns.';

export const EXPAND_PARAMETER: Parameter = {
  name: 'expand',
  required: false,
  description: EXPAND_DESCRIPTION,
  schema: { type: 'string', minLength: 1, maxLength: MAX_EXPAND_LENGTH },
};

/** Returns the ETag of a response, which depends on the last write, the columns and the query. */
export function rowQueryEtag({ revision, schemaVersion }: RowVersion, query: unknown): string {
  const digest = hash('sha256', JSON.stringify(query), 'base64url').slice(0, 16);
  return `"${String(revision)}-${String(schemaVersion)}-${digest}"`;
}
