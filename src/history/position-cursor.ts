import {
  type FieldError,
  fieldError,
  invalidField,
  invalidRequest,
} from '../common/error/app-error';
import { cursorOwner, isStart, parsePageRequest } from '../common/paging/page-request';
import type { Parameter } from '../platform/http/query';

const VERSION = '1';
const MAX_CURSOR_LENGTH = 200;
const INTEGER = /^[1-9]\d{0,15}$/;

/** Position in a list of versions of rows, as two numbers from 1. */
export type Position = readonly [number, number];

/** A page of a list of versions. */
export interface PositionRequest {
  /** Maximum number of items. */
  readonly limit: number;
  /** Position after which the page begins; `null` on the first page. */
  readonly after: Position | null;
}

/** Returns a cursor, which is opaque to clients. */
export function encodePosition(datagridId: string, position: Position): string {
  const parts = [VERSION, cursorOwner(datagridId), ...position];
  return Buffer.from(parts.join(':')).toString('base64url');
}

/**
 * Reads `limit` and `cursor`.
 * @param isOwn Returns whether a position of the datagrid belongs to the list.
 * @param list What the list belongs to, for the error of a cursor that was issued for another one.
 * @throws AppError `invalid_request`
 */
export function positionRequest(
  datagridId: string,
  query: Readonly<Record<string, unknown>>,
  list: 'row' | 'datagrid',
  isOwn: (position: Position) => boolean = () => true,
): PositionRequest {
  const errors: FieldError[] = [];
  const parsed = parsePageRequest(query);
  if (!parsed.ok) errors.push(...parsed.errors);
  const { cursor } = query;
  if (cursor !== undefined && typeof cursor !== 'string') {
    errors.push(fieldError('cursor', 'duplicate_parameter', 'must be given at most once'));
  }
  if (!parsed.ok || errors.length > 0) throw invalidRequest(errors);
  const { limit } = parsed.value;
  if (typeof cursor !== 'string' || isStart(cursor)) return { limit, after: null };
  const [datagrid, after] = decodePosition(cursor);
  if (datagrid !== cursorOwner(datagridId) || !isOwn(after)) {
    throw invalidField('cursor', 'cursor_mismatch', `was issued for another ${list}`);
  }
  return { limit, after };
}

function decodePosition(text: string): readonly [datagrid: string, position: Position] {
  const decoded =
    text.length > MAX_CURSOR_LENGTH ? '' : Buffer.from(text, 'base64url').toString('latin1');
  const [version, datagrid = '', first = '', second = '', ...rest] = decoded.split(':');
  const isFormed = [first, second].every(
    (part) => INTEGER.test(part) && Number.isSafeInteger(Number(part)),
  );
  if (version !== VERSION || !isFormed || rest.length > 0) {
    throw invalidField('cursor', 'invalid_format', 'is not a valid cursor');
  }
  return [datagrid, [Number(first), Number(second)]];
}

/** Returns the query parameters of a list of versions, for the OpenAPI document. */
export const positionParameters = (items: 'entries' | 'rows'): readonly Parameter[] => [
  {
    name: 'limit',
    required: false,
    description: `Maximum number of ${items} on a page. A page with large values can have fewer.`,
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 20 },
  },
  {
    name: 'cursor',
    required: false,
    description: '`start` for the first page; then `meta.nextCursor` of the last response.',
    schema: { type: 'string' },
    examples: { first: { value: 'start' } },
  },
];
