import { type FieldError, fieldError, invalidRequest } from '../../common/error/app-error';
import { isStart, readCount } from '../../common/paging/page-request';
import { isUuid, NIL_ID } from '../../common/text/id';
import type { Parameter } from '../../platform/http/query';
import type { AuditPlace } from './audit.service';

type Query = Readonly<Record<string, unknown>>;

const LIST_LIMIT = { usual: 20, max: 200 };
const FEED_LIMIT = { usual: 100, max: 1_000 };

/** Reads the parameters of a list. @throws AppError `invalid_request` */
export function auditListRequest(query: Query): { cursor: string | null; limit: number } {
  const { cursor, limit } = read(query, LIST_LIMIT, (text) => (isUuid(text) ? text : undefined));
  return { cursor, limit };
}

/** Reads the parameters of the feed. @throws AppError `invalid_request` */
export function auditFeedRequest(query: Query): { after: AuditPlace | null; limit: number } {
  const { cursor, limit } = read(query, FEED_LIMIT, placeOf);
  return { after: cursor?.position === 0 ? null : cursor, limit };
}

/** @param parse Returns undefined for a text that is no cursor. */
function read<T>(
  query: Query,
  { usual, max }: typeof LIST_LIMIT,
  parse: (text: string) => T | undefined,
): { cursor: T | null; limit: number } {
  const errors: FieldError[] = [];
  const text = query['cursor'];
  let cursor: T | null = null;
  if (Array.isArray(text)) {
    errors.push(fieldError('cursor', 'duplicate_parameter', 'must be given at most once'));
  } else if (typeof text === 'string' && !isStart(text)) {
    cursor = parse(text) ?? null;
    if (cursor === null)
      errors.push(fieldError('cursor', 'invalid_format', 'is not a valid cursor'));
  }
  const limit = query['limit'] === undefined ? usual : readCount('limit', query['limit'], max);
  if (typeof limit !== 'number') errors.push(limit);
  if (typeof limit !== 'number' || errors.length > 0) throw invalidRequest(errors);
  return { cursor, limit };
}

const BEGINNING: AuditPlace = { position: 0, id: NIL_ID };

/** @param place `null` before the first event. */
export function encodePlace(place: AuditPlace | null): string {
  const { position, id } = place ?? BEGINNING;
  return Buffer.from(`${String(position)}:${id}`).toString('base64url');
}

function placeOf(text: string): AuditPlace | undefined {
  const [, position, id = ''] =
    /^(0|[1-9]\d{0,14}):(.*)$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const place = { position: Number(position), id };
  // Other texts can decode to the same place.
  return isUuid(id) && encodePlace(place) === text ? place : undefined;
}

const CURSOR: Parameter = {
  name: 'cursor',
  required: false,
  description:
    '`meta.nextCursor` of the last response. Without it, or with `start`, from the beginning.',
  schema: { type: 'string' },
  examples: { first: { value: 'start' } },
};

const limitOf = ({ usual, max }: typeof LIST_LIMIT): Parameter => ({
  name: 'limit',
  required: false,
  description: 'Number of events on a page.',
  schema: { type: 'integer', minimum: 1, maximum: max, default: usual },
});

/** Query parameters of a list. */
export const AUDIT_LIST_PARAMETERS: readonly Parameter[] = [
  { ...CURSOR, description: '`meta.nextCursor` of the previous page.' },
  limitOf(LIST_LIMIT),
];

/** Query parameters of the feed. */
export const AUDIT_FEED_PARAMETERS: readonly Parameter[] = [CURSOR, limitOf(FEED_LIMIT)];
