import { Injectable } from '@nestjs/common';
import { logChange } from '../../datagrids/change-log/change-log-sql';
import type { StoredColumn } from '../../datagrids/column/column-contents';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { BATCH_SQL, type Batch } from './unique-claim.repository';

/** Logs the rows of a batch that have a value, as part `$5` of the last revision. */
const LOG: Statement = {
  name: 'value-log',
  text: `
    WITH valued AS MATERIALIZED (
      SELECT max(id) AS "lastId",
        coalesce(array_agg(id ORDER BY id) FILTER (WHERE "values" ? $4), '{}') AS ids
      FROM (${BATCH_SQL}) batch
    ), logged AS (${logChange(
      'update',
      {
        revision: 'l.revision',
        part: '$5::int',
        rowCount: 'cardinality(v.ids)',
        rowIds: 'v.ids',
        userId: 'l.user_id',
        keyId: 'l.key_id',
        at: 'l.at',
      },
      `FROM valued v CROSS JOIN (
        SELECT revision, user_id, key_id, at FROM datagrid_changes
        WHERE datagrid_id = $1 ORDER BY revision DESC, part LIMIT 1
      ) l
      WHERE cardinality(v.ids) > 0`,
    )}
    )
    SELECT "lastId", to_json(ids) AS ids FROM valued`,
};

/** Rows of a batch. */
interface LoggedBatch {
  /** Id of the last row; `null` if no rows follow. */
  readonly lastId: number | null;
  /** Ids of the rows that have a value. */
  readonly ids: readonly number[];
}

/** Logs rows whose values readers see again. Use it in the transaction of the change. */
@Injectable()
export class ValueLogRepository {
  constructor(private readonly database: Database) {}

  /** Logs the rows of the batch that have a value. Logs nothing if there are none. */
  async log(
    { datagridId, slot }: StoredColumn,
    { afterId, maxBytes }: Batch,
    part: number,
  ): Promise<LoggedBatch> {
    const values = [datagridId, afterId, maxBytes, slot, part];
    const [logged] = await this.database.run<LoggedBatch>(LOG, values);
    return logged ?? { lastId: null, ids: [] };
  }
}
