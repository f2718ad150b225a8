import { dataRequest } from '../../api/data';
import type { Row } from '../../datagrids/datagrid';
import { datagridPath } from '../../datagrids/datagrid-calls';
import type { KnownRow } from '../edits/row-edit';

/** Operations that one call carries out at most. */
const BATCH = 1_000;

/** @param body `{"values":{…}}` as text. */
export async function createRow(datagridId: string, body: string, key: string): Promise<Row> {
  const { data } = await dataRequest<Row>('POST', `${datagridPath(datagridId)}/rows`, {
    rawBody: body,
    contentType: 'application/json',
    idempotencyKey: key,
  });
  return data;
}

interface BatchResult {
  readonly results: readonly {
    readonly status: 'deleted' | 'error';
    readonly error?: { readonly code: string };
  }[];
}

/**
 * Deletes rows as they were seen.
 *
 * @param isAnyVersion Also deletes rows that were changed since.
 * @returns The rows that were changed since and stay. Those that are gone already count as deleted.
 */
export async function deleteRows(
  datagridId: string,
  rows: readonly KnownRow[],
  isAnyVersion: boolean,
): Promise<readonly KnownRow[]> {
  const kept: KnownRow[] = [];
  for (let from = 0; from < rows.length; from += BATCH) {
    const part = rows.slice(from, from + BATCH);
    const operations = part.map(({ id, revision }) => ({
      op: 'delete',
      id,
      ...(isAnyVersion ? {} : { ifRevision: revision }),
    }));
    const { data } = await dataRequest<BatchResult>(
      'POST',
      `${datagridPath(datagridId)}/rows/batch`,
      {
        body: { mode: 'partial', operations },
      },
    );
    kept.push(...part.filter((_, at) => isKept(data.results[at])));
  }
  return kept;
}

function isKept(result: BatchResult['results'][number] | undefined): boolean {
  return result?.status === 'error' && result.error?.code !== 'not_found';
}
