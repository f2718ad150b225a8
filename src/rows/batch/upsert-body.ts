import { members, refuseOthers } from '../values/body-members';
import { readRows } from '../values/row-body';
import { readMatchOn } from './match-on';
import type { Batch } from './operation';

/** Reads `{ matchOn, rows: [{ values }, …] }`. @throws AppError `invalid_request` */
export function readUpsertBody(body: unknown): Batch {
  const object = members(body, 'body');
  refuseOthers(object, ['matchOn', 'rows'], '');
  const matchOnPath = 'matchOn';
  const matchOn = readMatchOn(object['matchOn'], matchOnPath);
  return {
    isAtomic: true,
    isDryRun: false,
    list: 'rows',
    refusesRepeats: true,
    operations: readRows(object['rows']).map((row, index) => {
      const path = `rows.${String(index)}`;
      return { op: 'upsert', path, row, matchOn, matchOnPath, ifRevision: undefined };
    }),
  };
}
