import Negotiator from 'negotiator';
import { type FieldError, fieldError, invalidRequest } from '../common/error/app-error';
import { isStart } from '../common/paging/page-request';
import type { Parameter } from '../platform/http/query';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_WAIT_SECONDS = 30;

/** Parameters of a request for changes. */
export interface ChangeRequest {
  /** Where to begin: undefined for the rows, `latest` for the end of the log, or a cursor. */
  readonly cursor: string | undefined;
  /** Maximum number of rows on a page. */
  readonly limit: number;
  /** Time in seconds to wait for a change if there is none. */
  readonly waitSeconds: number;
  /** Whether items say who made the change and when. */
  readonly hasOrigins: boolean;
}

type Query = Readonly<Record<string, unknown>>;

/**
 * Reads the parameters of a request for changes.
 * @param lastEventId `Last-Event-ID` header, with which a client resumes a stream of events.
 * @throws AppError `invalid_request`
 */
export function changeRequest(
  query: Query,
  lastEventId: string | string[] | undefined,
): ChangeRequest {
  const errors: FieldError[] = [];
  const integer = (name: string, min: number, max: number, fallback: number): number => {
    const value = query[name];
    if (value === undefined) return fallback;
    const range = `must be an integer from ${String(min)} to ${String(max)}`;
    if (Array.isArray(value)) errors.push(repeated(name));
    else if (typeof value !== 'string' || !/^-?(?:0|[1-9]\d*)$/.test(value)) {
      errors.push(fieldError(name, 'invalid_format', range));
    } else if (Number(value) < min || Number(value) > max) {
      errors.push(fieldError(name, 'out_of_range', range));
    } else return Number(value);
    return fallback;
  };
  const limit = integer('limit', 1, MAX_LIMIT, DEFAULT_LIMIT);
  const waitSeconds = integer('wait', 0, MAX_WAIT_SECONDS, 0);
  // An empty id says that no event has arrived yet.
  const cursor =
    typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : query['cursor'];
  if (cursor !== undefined && typeof cursor !== 'string') errors.push(repeated('cursor'));
  const include = query['include'];
  if (Array.isArray(include)) errors.push(repeated('include'));
  else if (include !== undefined && include !== 'author') {
    errors.push(fieldError('include', 'not_a_choice', 'must be "author"'));
  }
  if (errors.length > 0) throw invalidRequest(errors);
  const isGiven = typeof cursor === 'string' && !isStart(cursor);
  const hasOrigins = include === 'author';
  return { cursor: isGiven ? cursor : undefined, limit, waitSeconds, hasOrigins };
}

function repeated(name: string): FieldError {
  return fieldError(name, 'duplicate_parameter', 'must be given at most once');
}

/** Form of a response with changes: one page, a stream of lines, or a stream of events. */
export type ChangeForm = 'page' | 'lines' | 'events';

/** Forms by the media types that name them. */
const FORMS: ReadonlyMap<string, ChangeForm> = new Map([
  ['text/event-stream', 'events'],
  ['application/x-ndjson', 'lines'],
  ['application/json', 'page'],
  ['application/*', 'page'],
  ['*/*', 'page'],
]);

/**
 * Returns the form that the `Accept` header prefers, by `q` and then by order. Types with `q=0` are not
 * acceptable.
 */
export function changeForm(accept: string | undefined): ChangeForm {
  const types = new Negotiator({ headers: { accept: accept ?? '' } })
    .mediaTypes()
    .map((type) => type.toLowerCase());
  const known = types.find((type) => FORMS.has(type)) ?? '';
  return FORMS.get(known) ?? 'page';
}

const CURSOR: Parameter = {
  name: 'cursor',
  required: false,
  description:
    '`meta.nextCursor` of the last response. Without a cursor, or with `start`, the response begins with the rows as they are. `latest` skips them and begins with the next change.',
  schema: { type: 'string' },
  examples: { first: { value: 'start' }, latest: { value: 'latest' } },
};

const WAIT: Parameter = {
  name: 'wait',
  required: false,
  description:
    'Time in seconds to wait for a change if there is none. Streams of events always wait.',
  schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 },
};

/** Query parameters of a request for the changed datagrids of a workspace. */
export const WORKSPACE_CHANGE_PARAMETERS: readonly Parameter[] = [
  {
    ...CURSOR,
    description:
      '`meta.nextCursor` of the last response, which can have 4,160 characters. Without a cursor, or with `start`, the response begins with all datagrids. `latest` skips them and begins with the next change.',
  },
  {
    name: 'limit',
    required: false,
    description: 'Maximum number of items on a page.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  },
  WAIT,
];

const INCLUDE: Parameter = {
  name: 'include',
  required: false,
  description: '`author` adds `changedAt` and `changedBy` to the items.',
  schema: { type: 'string', enum: ['author'] },
  examples: { author: { value: 'author' } },
};

/** Query parameters of a request for changes, for the OpenAPI document. */
export const CHANGE_PARAMETERS: readonly Parameter[] = [
  CURSOR,
  {
    name: 'limit',
    required: false,
    description:
      'Maximum number of rows on a page. A page with large rows can have fewer. A page can have items for columns in addition.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  },
  WAIT,
  INCLUDE,
];
