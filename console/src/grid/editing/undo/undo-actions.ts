import { isApiError } from '../../../api/api-error';
import { dataRequest } from '../../../api/data';
import { removeColumn } from '../../../datagrids/columns/column-change';
import { restoreColumn } from '../../../datagrids/columns/deleted-columns';
import type { Row } from '../../../datagrids/datagrid';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import type { KnownRow } from '../../cells/known-row';
import { schemaVersionOf } from '../../data/loading/row-page';
import { deleteRows } from '../../data/row-calls';
import { restoreRows } from '../../trash/trash-calls';
import { writeRows, type RowChange } from '../blocks/block-write';
import { jsonText, type Step } from './undo-stack';

/** What an undo or a redo changed. */
export interface Reverted {
  /** The opposite step, for the other direction. */
  readonly step: Step;
  readonly before: readonly KnownRow[];
  readonly rows: readonly KnownRow[];
  /** Number of values and rows that were changed since. They stay as they are. */
  readonly kept: number;
  /** Whether rows were created or deleted, or columns removed or restored. */
  readonly hasMoved: boolean;
}

/**
 * Restores the values before a step, deletes the rows that it created, and restores those that it
 * deleted. Restores the columns that it removed, and removes those that it restored. Values that
 * were changed since are not overwritten: each row is written in the version that was just read.
 * @param find Returns a loaded row.
 */
export async function revert(
  datagridId: string,
  step: Step,
  find: (rowId: number) => KnownRow | undefined,
): Promise<Reverted> {
  const ids = [...new Set(step.cells.map(({ rowId }) => rowId))];
  const before: KnownRow[] = [];
  const changes: RowChange[] = [];
  let kept = 0;
  for (const id of ids) {
    const cells = step.cells.filter(({ rowId }) => rowId === id);
    const row = find(id) ?? (await readRow(datagridId, id));
    const open = cells.filter(({ key, after }) => row && jsonText(row.values[key]) === after);
    kept += cells.length - open.length;
    if (!row || open.length === 0) continue;
    before.push(row);
    changes.push({ row, values: new Map(open.map((cell) => [cell.key, cell.before])) });
  }
  const schemaVersion = before[0]?.schemaVersion ?? 0;
  const rows = changes.length > 0 ? await writeRows(datagridId, changes, schemaVersion) : [];
  const undone = step.cells.filter(({ rowId, key }) =>
    changes.some(({ row, values }) => row?.id === rowId && values.has(key)),
  );
  const { created, deleted, columns } = step;
  for (const { id, key, isRemoved } of columns) {
    if (isRemoved) await restoreColumn(datagridId, { id, key });
    else await removeColumn(datagridId, key);
  }
  const restored = await restoreRows(datagridId, deleted);
  const changed = created.length > 0 ? await deleteRows(datagridId, created, false) : [];
  return {
    step: {
      name: step.name,
      cells: undone.map((cell) => ({ ...cell, before: cell.after, after: cell.before })),
      created: restored,
      deleted: created.filter((row) => !changed.includes(row)),
      columns: columns.map((column) => ({ ...column, isRemoved: !column.isRemoved })),
    },
    before,
    rows,
    kept: kept + changed.length,
    hasMoved: created.length + deleted.length + columns.length > 0,
  };
}

async function readRow(datagridId: string, rowId: number): Promise<KnownRow | undefined> {
  try {
    const path = `${datagridPath(datagridId)}/rows/${rowId}`;
    const { data, etag } = await dataRequest<Row>('GET', path);
    const { id, values, revision } = data;
    return { id, values, revision, schemaVersion: schemaVersionOf(etag) ?? 0 };
  } catch (error) {
    if (isApiError(error, 'not_found')) return undefined;
    throw error;
  }
}
