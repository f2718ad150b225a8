import {
  type FieldError,
  fieldError,
  invalidField,
  invalidRequest,
} from '../../common/error/app-error';
import { parsePageRequest } from '../../common/paging/page-request';
import type { Parameter } from '../../platform/http/query';

const VERSION = '1';
/** Number of the last characters of a datagrid's id that its cursors contain. */
const ID_CHARACTERS = 12;
const MAX_CURSOR_LENGTH = 200;
const INTEGER = /^[1-9]\d{0,15}$/;

/** A row of a datagrid. */
export interface RowRef {
  readonly accountId: string;
  readonly datagridId: string;
  readonly rowId: number;
}

export interface HistoryRequest {
  /** Maximum number of entries. */
  readonly limit: number;
  /** Revision before which the page begins; `null` on the first page. */
  readonly before: number | null;
}

/** Returns a cursor, which is opaque to clients. */
export function encodeHistoryCursor({ datagridId, rowId }: RowRef, before: number): string {
  const parts = [VERSION, datagridId.slice(-ID_CHARACTERS), rowId, before];
  return Buffer.from(parts.join(':')).toString('base64url');
}

/** Reads `limit` and `cursor`. @throws AppError `invalid_request` */
export function historyRequest(
  row: RowRef,
  query: Readonly<Record<string, unknown>>,
): HistoryRequest {
  const errors: FieldError[] = [];
  const parsed = parsePageRequest(query);
  if (!parsed.ok) errors.push(...parsed.errors);
  const { cursor } = query;
  if (cursor !== undefined && typeof cursor !== 'string') {
    errors.push(fieldError('cursor', 'duplicate_parameter', 'must be given at most once'));
  }
  if (!parsed.ok || errors.length > 0) throw invalidRequest(errors);
  const isGiven = typeof cursor === 'string' && cursor !== '';
  return { limit: parsed.value.limit, before: isGiven ? decodeCursor(row, cursor) : null };
}

function decodeCursor({ datagridId, rowId }: RowRef, text: string): number {
  const parts =
    text.length > MAX_CURSOR_LENGTH
      ? []
      : Buffer.from(text, 'base64url').toString('latin1').split(':');
  const [version, id, row = '', before = ''] = parts;
  const isFormed = INTEGER.test(row) && INTEGER.test(before) && parts.length === 4;
  if (version !== VERSION || !isFormed || !Number.isSafeInteger(Number(before))) {
    throw invalidField('cursor', 'invalid_format', 'is not a valid cursor');
  }
  if (id !== datagridId.slice(-ID_CHARACTERS) || Number(row) !== rowId) {
    throw invalidField('cursor', 'cursor_mismatch', 'was issued for another row');
  }
  return Number(before);
}

/** Query parameters of the history of a row, for the OpenAPI document. */
export const HISTORY_PARAMETERS: readonly Parameter[] = [
  {
    name: 'limit',
    required: false,
    description: 'Maximum number of entries on a page. A page with large values can have fewer.',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 20 },
  },
  {
    name: 'cursor',
    required: false,
    description: '`meta.nextCursor` of the last response.',
    schema: { type: 'string' },
    examples: { first: { value: '' } },
  },
];
