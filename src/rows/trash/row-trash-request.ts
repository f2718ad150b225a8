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

/** Position in the trash of a datagrid: the revision of a deletion, and the id of the row. */
export interface TrashPosition {
  readonly revision: number;
  readonly id: number;
}

export interface RowTrashRequest {
  /** Maximum number of rows. */
  readonly limit: number;
  /** Position before which the page begins; `null` on the first page. */
  readonly before: TrashPosition | null;
}

/** Returns a cursor, which is opaque to clients. */
export function encodeTrashCursor(datagridId: string, { revision, id }: TrashPosition): string {
  const parts = [VERSION, datagridId.slice(-ID_CHARACTERS), revision, id];
  return Buffer.from(parts.join(':')).toString('base64url');
}

/** Reads `limit` and `cursor`. @throws AppError `invalid_request` */
export function rowTrashRequest(
  datagridId: string,
  query: Readonly<Record<string, unknown>>,
): RowTrashRequest {
  const errors: FieldError[] = [];
  const parsed = parsePageRequest(query);
  if (!parsed.ok) errors.push(...parsed.errors);
  const { cursor } = query;
  if (cursor !== undefined && typeof cursor !== 'string') {
    errors.push(fieldError('cursor', 'duplicate_parameter', 'must be given at most once'));
  }
  if (!parsed.ok || errors.length > 0) throw invalidRequest(errors);
  const isGiven = typeof cursor === 'string' && cursor !== '';
  return { limit: parsed.value.limit, before: isGiven ? decodeCursor(datagridId, cursor) : null };
}

function decodeCursor(datagridId: string, text: string): TrashPosition {
  const decoded =
    text.length > MAX_CURSOR_LENGTH ? '' : Buffer.from(text, 'base64url').toString('latin1');
  const [version, grid, revision = '', id = '', ...rest] = decoded.split(':');
  const isFormed = [revision, id].every(
    (part) => INTEGER.test(part) && Number.isSafeInteger(Number(part)),
  );
  if (version !== VERSION || !isFormed || rest.length > 0) {
    throw invalidField('cursor', 'invalid_format', 'is not a valid cursor');
  }
  if (grid !== datagridId.slice(-ID_CHARACTERS)) {
    throw invalidField('cursor', 'cursor_mismatch', 'was issued for another datagrid');
  }
  return { revision: Number(revision), id: Number(id) };
}

/** Query parameters of the deleted rows of a datagrid, for the OpenAPI document. */
export const ROW_TRASH_PARAMETERS: readonly Parameter[] = [
  {
    name: 'limit',
    required: false,
    description: 'Maximum number of rows on a page. A page with large values can have fewer.',
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
