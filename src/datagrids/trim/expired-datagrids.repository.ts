import { NIL_ID } from '../../common/text/id';
import { MAX_LISTED_JOBS } from '../../platform/background/job-turns';
import type { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';

/** Number of datagrids that one statement reads. */
const LIST_STEP = 1_000;

const DATAGRIDS: Statement = {
  name: 'trim-datagrids',
  text: `
    SELECT id AS "datagridId", account_id AS "accountId" FROM datagrids
    WHERE id > $1 ORDER BY id LIMIT ${String(LIST_STEP)}`,
};

/** A datagrid with expired data. */
export interface ExpiredDatagrid {
  readonly accountId: string;
  readonly datagridId: string;
}

/**
 * Lists datagrids with expired data, at most MAX_LISTED_JOBS of each account.
 * @param find Returns those of some datagrids that have expired data.
 */
export async function listExpiredDatagrids(
  database: Database,
  find: (ids: readonly string[]) => Promise<readonly { readonly id: string }[]>,
): Promise<ExpiredDatagrid[]> {
  const listed: ExpiredDatagrid[] = [];
  const counts = new Map<string, number>();
  for (let after: string = NIL_ID; ;) {
    const datagrids = await database.run<ExpiredDatagrid>(DATAGRIDS, [after]);
    const found = await find(datagrids.map(({ datagridId }) => datagridId));
    const expired = new Set(found.map(({ id }) => id));
    for (const { accountId, datagridId } of datagrids) {
      const count = counts.get(accountId) ?? 0;
      if (!expired.has(datagridId) || count >= MAX_LISTED_JOBS) continue;
      counts.set(accountId, count + 1);
      listed.push({ accountId, datagridId });
    }
    const last = datagrids.at(-1);
    if (!last || datagrids.length < LIST_STEP) return listed;
    after = last.datagridId;
  }
}
