import { dataRequest } from '../../api/data';
import type { Row } from '../../datagrids/datagrid';
import { datagridPath } from '../../datagrids/datagrid-calls';
import type { KnownRow } from '../cells/known-row';

/** Maximum number of operations in one request. */
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
 * Deletes rows in their displayed version.
 * @param isAnyVersion Also deletes rows that were changed since.
 * @returns the rows that were changed since and not deleted. Missing rows count as deleted.
 */
export async function deleteRows(
  datagridId: string,
  rows: readonly KnownRow[],
  isAnyVersion: boolean,
): Promise<readonly KnownRow[]> {
  const changed: KnownRow[] = [];
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
    changed.push(...part.filter((_, at) => isChanged(data.results[at])));
  }
  return changed;
}

function isChanged(result: BatchResult['results'][number] | undefined): boolean {
  return result?.status === 'error' && result.error?.code !== 'not_found';
}
