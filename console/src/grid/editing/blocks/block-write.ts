import { ApiError } from '../../../api/api-error';
import { randomKey } from '../../../api/attempt-key';
import { dataRequest } from '../../../api/data';
import type { Row } from '../../../datagrids/datagrid';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import type { KnownRow } from '../../cells/known-row';
import { objectOf } from '../../cells/values/typed-value';
import { fieldsOf } from '../unsaved/row-sender';

/** Maximum number of rows that one action can change: the limit of a batch. */
export const MAX_CHANGED_ROWS = 1_000;

/** Values of one row to write. */
export interface RowChange {
  /** The row as it was read, or `null` for a row to create. */
  readonly row: KnownRow | null;
  /** JSON texts by column key. */
  readonly values: ReadonlyMap<string, string>;
}

interface BatchResult {
  readonly status: 'created' | 'updated' | 'unchanged' | 'deleted' | 'error';
  readonly row?: Row;
  readonly error?: ConstructorParameters<typeof ErrorOfRow>[0];
}

/** Error of one operation of a batch. */
class ErrorOfRow extends ApiError {
  constructor(error: { code: string; message: string; details?: ApiError['details'] }) {
    super(400, error.code, error.message, error.details);
  }
}

/**
 * Writes all changes in one batch, or none of them. Rows that somebody else has changed since they
 * were read fail with `precondition_failed`.
 * @returns the rows afterwards, in the order of the changes.
 */
export async function writeRows(
  datagridId: string,
  changes: readonly RowChange[],
  schemaVersion: number,
): Promise<readonly KnownRow[]> {
  const results = await sendBatch(datagridId, changes, { mode: 'atomic' });
  return results.flatMap(({ row }) => {
    if (!row) return [];
    const { id, values, revision } = row;
    return [{ id, values, revision, schemaVersion }];
  });
}

/** A value, or with `key` null a row, that the service would reject. */
export interface RejectedCell {
  /** Index of the change. */
  readonly at: number;
  readonly key: string | null;
  readonly message: string;
}

/** Returns what the service would reject. Nothing is changed. */
export async function findRejectedCells(
  datagridId: string,
  changes: readonly RowChange[],
): Promise<readonly RejectedCell[]> {
  const results = await sendBatch(datagridId, changes, { mode: 'partial', dryRun: true });
  return results.flatMap(({ error }, at): RejectedCell[] => {
    if (!error) return [];
    const fields = [...fieldsOf(new ErrorOfRow(error))];
    if (fields.length === 0) return [{ at, key: null, message: error.message }];
    return fields.map(([key, message]) => ({ at, key, message }));
  });
}

async function sendBatch(
  datagridId: string,
  changes: readonly RowChange[],
  how: { readonly mode: string; readonly dryRun?: boolean },
): Promise<readonly BatchResult[]> {
  const operations = changes.map(({ row, values }) => {
    const which = row
      ? `"op":"update","id":${row.id},"ifRevision":${row.revision}`
      : '"op":"create"';
    return `{${which},"values":${objectOf(values)}}`;
  });
  const head = JSON.stringify(how).slice(0, -1);
  const { data } = await dataRequest<{ readonly results: readonly BatchResult[] }>(
    'POST',
    `${datagridPath(datagridId)}/rows/batch`,
    {
      rawBody: `${head},"operations":[${operations.join(',')}]}`,
      contentType: 'application/json',
      idempotencyKey: randomKey(),
    },
  );
  return data.results;
}
