import { ApiError, isApiError, messageOf } from '../../../api/api-error';
import { dataRequest } from '../../../api/data';
import type { Row } from '../../../datagrids/datagrid';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import type { KnownRow } from '../../cells/known-row';
import { valuesBody } from '../../cells/values/typed-value';
import { rowEtag, schemaVersionOf } from '../../data/loading/row-page';
import type { Outcome, SendAttempt } from './row-edit';

/**
 * Sends changes of the rows of one datagrid, each with the version that it is based on.
 * @param hasComputed Whether columns are computed: then a row is read after the change, because the
 *   response to the change has no computed values.
 */
export function rowSender(datagridId: string, hasComputed: () => boolean): SendAttempt {
  return async ({ base, values, idempotencyKey }) => {
    const path = rowPath(datagridId, base.id);
    try {
      const { data, etag } = await dataRequest<Row>('PATCH', path, {
        rawBody: valuesBody(values),
        contentType: 'application/json',
        ifMatch: rowEtag(base.revision, base.schemaVersion),
        idempotencyKey,
      });
      const saved = knownRow(data, etag, base.schemaVersion);
      if (!hasComputed()) return { kind: 'saved', row: saved };
      const read = await readRow(datagridId, base.id).catch(() => null);
      // If others have changed the row meanwhile, the feed of changes shows it.
      return { kind: 'saved', row: read?.revision === saved.revision ? read : saved };
    } catch (error) {
      return outcomeOf(error, () => readRow(datagridId, base.id));
    }
  };
}

function rowPath(datagridId: string, rowId: number): string {
  return `${datagridPath(datagridId)}/rows/${rowId}`;
}

/** @returns the current row, or `null` if it was deleted. */
async function readRow(datagridId: string, rowId: number): Promise<KnownRow | null> {
  try {
    const { data, etag } = await dataRequest<Row>('GET', rowPath(datagridId, rowId));
    return knownRow(data, etag, 0);
  } catch (error) {
    if (isApiError(error, 'not_found')) return null;
    throw error;
  }
}

function knownRow(row: Row, etag: string | undefined, otherwise: number): KnownRow {
  const { id, values, revision } = row;
  return { id, values, revision, schemaVersion: schemaVersionOf(etag) ?? otherwise };
}

/** Returns the outcome of a change whose request failed. */
export async function outcomeOf(
  error: unknown,
  read: () => Promise<KnownRow | null>,
): Promise<Outcome> {
  if (!(error instanceof ApiError) || !isDecided(error)) {
    return { kind: 'unknown', message: messageOf(error) };
  }
  if (error.code === 'precondition_failed' || error.code === 'not_found') {
    try {
      return { kind: 'outdated', theirs: await read() };
    } catch (failure) {
      return { kind: 'unknown', message: messageOf(failure) };
    }
  }
  return { kind: 'rejected', message: error.message, fields: fieldsOf(error) };
}

/** Statuses after which nothing was changed and a retry would fail too. */
function isDecided({ status, code }: ApiError): boolean {
  if (code === 'idempotency_key_in_use') return false;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

/** Returns the messages by column key, from fields such as `values.iata` or `values.tags.2`. */
export function fieldsOf(error: ApiError): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const { field, message } of error.details) {
    const key = /^(?:(?:rows|operations)\.\d+\.)?values\.([^.]+)/.exec(field)?.[1];
    if (key !== undefined && !fields.has(key)) fields.set(key, message);
  }
  return fields;
}
