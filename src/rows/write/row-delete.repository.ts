import { Injectable } from '@nestjs/common';
import { logChange } from '../../datagrids/change-log/change-log-sql';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { textsOf } from '../../platform/database/text-query';
import { LinkEntryRepository } from '../link/link-entry.repository';
import { enteredOf, enteredSuffix, enteredValues, forEachKindAndHistory } from './row-write-sql';
import { removeRows } from '../storage/index-entries-sql';
import { GAP_LEVEL_VALUES } from '../position/position-sql';
import { decompressed, storeVersions, versionColumns } from '../storage/row-json-sql';
import { releaseUnique, uniqueHashes } from '../storage/unique-sql';
import type { RowWrite } from './counter.repository';

/**
 * Returns common table expressions that release the claims on unique values of the rows in `gone`.
 */
const releaseClaims = (first: number, isDistributed: boolean): string =>
  `, released AS (${releaseUnique(
    `
      SELECT e.column_id, e.hash
      FROM ${uniqueHashes(`SELECT ${decompressed('"values"')} AS "values" FROM gone`, first)}`,
    isDistributed,
  )}
    )`;

const LOGGED = logChange('delete', {
  revision: '$3',
  part: '$4',
  rowCount: 'cardinality($2::bigint[])',
  rowIds: '$2',
  userId: '$5',
  keyId: '$6',
  at: '$7',
});

const storedVersions = (isHistory: boolean): string => `, versioned AS (${storeVersions({
  from: 'gone',
  isDeletion: true,
  isHistory,
  revision: '$3',
  at: '$7::timestamptz',
  userId: '$5::uuid',
  keyId: '$6::uuid',
})}
    )`;

/**
 * Deletes rows with their unique values and index entries, records the gaps of each row, moves the
 * rows to the trash, and logs the change. `$3` to `$7` are the revision, the part, the author and the
 * time of the write. The unique and indexed columns follow, if there are any.
 */
const deleteStatement = forEachKindAndHistory((entered, keepsHistory) => ({
  name: `row-delete${enteredSuffix(entered)}`,
  ...textsOf(
    (isDistributed) => `
    WITH gone AS (
      DELETE FROM rows WHERE datagrid_id = $1 AND id = ANY($2::bigint[])
      RETURNING ${versionColumns('rows')}
    ), gaps AS (
      INSERT INTO row_gaps (datagrid_id, level, block, deleted)
      SELECT $1, l.level, (gone.id - 1) >> l.shift, count(*)
      FROM gone CROSS JOIN (VALUES ${GAP_LEVEL_VALUES}) AS l(level, shift)
      GROUP BY l.level, (gone.id - 1) >> l.shift
      ON CONFLICT (datagrid_id, level, block)
      DO UPDATE SET deleted = row_gaps.deleted + excluded.deleted
    )${entered.hasUnique ? releaseClaims(8, isDistributed) : ''}${entered.hasIndex ? `, ${removeRows('gone', entered.hasUnique ? 11 : 8, isDistributed)}` : ''}
    ${storedVersions(keepsHistory)}, logged AS (${LOGGED}
    ), counted AS (
      SELECT count(*) AS count FROM gone
    ), counter AS (
      UPDATE datagrid_counters SET row_count = row_count - (SELECT count FROM counted)
      WHERE datagrid_id = $1
    )
    SELECT count FROM counted`,
  ),
}));

/** Deletes rows. Call inside a transaction that holds the datagrid's lock. */
@Injectable()
export class RowDeleteRepository {
  constructor(
    private readonly database: Database,
    private readonly links: LinkEntryRepository,
  ) {}

  /**
   * Deletes rows, which must all exist, and that no row links to. If not, the caller rolls back, because the log names them.
   * @param part Number of this change among those of the write.
   * @returns the number of deleted rows.
   */
  async delete(
    schema: DatagridSchema,
    rowIds: readonly number[],
    { revision, at, author }: RowWrite,
    part = 0,
  ): Promise<number> {
    const statement = deleteStatement(enteredOf(schema), schema.keepsHistory);
    const [deleted] = await this.database.run<{ count: number }>(statement, [
      schema.datagridId,
      rowIds,
      revision,
      part,
      author.userId,
      author.keyId,
      at,
      ...enteredValues(schema),
    ]);
    await this.links.remove(schema, rowIds);
    return deleted?.count ?? 0;
  }
}
