import { isApiError, messageOf } from '../../api/api-error';
import type { ApiResponse } from '../../api/api-response';
import { randomKey } from '../../api/attempt-key';
import { dataRequest } from '../../api/data';
import type { Row } from '../../datagrids/datagrid';
import { datagridPath } from '../../datagrids/datagrid-calls';
import { gridText } from '../../text/grid-text';

const PAGE_SIZE = 50;
/** Maximum number of rows of one request. */
const MAX_RESTORED = 10_000;

/** A deleted row, as in the public API. */
export interface DeletedRow {
  readonly id: number;
  readonly values: Row['values'];
  readonly deletedAt: string;
  readonly expiresAt: string;
  /** `null` if the service deleted the row. */
  readonly userId: string | null;
  /** `null` for a deletion in the console. */
  readonly keyId: string | null;
}

/** Reads one page of the deleted rows of a datagrid, most recently deleted first. */
export function readDeletedRows(
  datagridId: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ApiResponse<readonly DeletedRow[]>> {
  const query = { limit: PAGE_SIZE, cursor };
  return dataRequest('GET', `${datagridPath(datagridId)}/trash/rows`, { query, signal });
}

/**
 * Restores deleted rows in requests of up to 10,000. Each restores all of its rows, or none.
 * @returns the rows in their new version.
 * @throws an error that names the rows that cannot be restored.
 */
export async function restoreRows<T extends { readonly id: number }>(
  datagridId: string,
  rows: readonly T[],
): Promise<(T & { readonly revision: number })[]> {
  const restored: (T & { readonly revision: number })[] = [];
  for (let from = 0; from < rows.length; from += MAX_RESTORED) {
    const part = rows.slice(from, from + MAX_RESTORED);
    const revision = await restorePart(datagridId, part);
    restored.push(...part.map((row) => ({ ...row, revision })));
  }
  return restored;
}

async function restorePart(
  datagridId: string,
  rows: readonly { readonly id: number }[],
): Promise<number> {
  try {
    const { data } = await dataRequest<{ readonly revision: number }>(
      'POST',
      `${datagridPath(datagridId)}/trash/rows/restore`,
      { body: { ids: rows.map(({ id }) => id) }, idempotencyKey: randomKey() },
    );
    return data.revision;
  } catch (error) {
    throw restoreProblem(error);
  }
}

/** Returns why rows were not restored, as text for the user. */
function restoreProblem(error: unknown): Error {
  const details = isApiError(error, 'conflict') ? error.details : [];
  if (details.length === 0) return new Error(messageOf(error));
  return new Error(
    details
      .map(({ field, message }) => {
        const [, id, key] = /^rows\.(\d+)\.values\.(.+)$/.exec(field) ?? [];
        return id === undefined
          ? sentence(message)
          : gridText.rowTrash.problem(id, key ?? '', message);
      })
      .join(' '),
  );
}

const sentence = (fragment: string): string =>
  `${fragment.charAt(0).toUpperCase()}${fragment.slice(1)}.`;
