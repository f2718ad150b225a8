import { isApiError } from '../../api/api-error';
import { dataRequest } from '../../api/data';
import { turnHistoryOn } from '../../grid/row/history-calls';
import type { Column, Datagrid } from '../datagrid';
import { createDatagrid, datagridPath } from '../datagrid-calls';
import type { ChosenImport } from './wizard/chosen-import';

/** Names that are tried for a new datagrid: if `lakes` is taken, `lakes 2`, and so on. */
const MAX_NAMES = 20;

/** An existing datagrid, or the workspace of a new one. */
export interface ImportTarget {
  readonly workspaceId: string;
  readonly datagrid?: Datagrid;
}

/**
 * Creates the datagrid or the columns that an import needs, and turns history on if that is chosen.
 * After a lost response it can be called again: nothing is created twice. A new datagrid has history,
 * so that later imports into it can be undone.
 * @returns the ID of the datagrid.
 */
export async function prepareTarget(
  { workspaceId, datagrid }: ImportTarget,
  given: Pick<ChosenImport, 'name' | 'written' | 'key' | 'turnsHistoryOn'>,
): Promise<string> {
  const { name, written, key, turnsHistoryOn } = given;
  const created = written.filter(({ isNew }) => isNew).map(({ column }) => bodyOf(column));
  if (!datagrid) {
    for (let count = 1; ; count += 1) {
      const body = { name: count === 1 ? name : `${name} ${count}`, columns: created };
      try {
        return (await createDatagrid(workspaceId, body, `${key}-${count}`)).id;
      } catch (error) {
        if (count >= MAX_NAMES || !isNameTaken(error)) throw error;
      }
    }
  }
  if (turnsHistoryOn) await turnHistoryOn(datagrid.id);
  for (const body of created) {
    const path = `${datagridPath(datagrid.id)}/columns`;
    await dataRequest<Column>('POST', path, { body, idempotencyKey: `${key}-${body.key}` });
  }
  return datagrid.id;
}

const isNameTaken = (error: unknown): boolean =>
  isApiError(error, 'conflict') && error.details.some(({ field }) => field === 'name');

const bodyOf = ({ key, title, type }: Column): Pick<Column, 'key' | 'title' | 'type'> => ({
  key,
  title,
  type,
});
