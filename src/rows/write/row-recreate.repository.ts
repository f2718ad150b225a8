import { Injectable } from '@nestjs/common';
import { logChange } from '../../datagrids/change-log/change-log-sql';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { LinkEntryRepository } from '../link/link-entry.repository';
import { enteredOf, enteredSuffix, enteredValues, forEachKind, insertRows } from './row-write-sql';
import { GAP_LEVEL_VALUES } from '../position/position-sql';
import { ROW_JSON } from '../storage/row-json-sql';
import { withMembers } from '../storage/row-json';
import { ReadOnlyValues } from '../values/read-only-values';
import type { RowWrite } from './counter.repository';

const LOGGED = logChange('create', {
  revision: '$3',
  part: '$4',
  rowCount: 'cardinality($8::bigint[])',
  rowIds: '$8',
  userId: '$5',
  keyId: '$6',
  at: '$7',
});

/**
 * Creates deleted rows again from `$2`, an array of `{ id, createdAt, values }`, removes them from
 * the gaps and the trash, and logs the change. `$3` to `$7` are the revision, the part, the author and
 * the time of the write, `$8` the ids. The unique and indexed columns follow, if there are any.
 */
const recreateStatement = forEachKind((entered) => ({
  name: `row-recreate${enteredSuffix(entered)}`,
  text: insertRows(entered, {
    given: '',
    from: 'jsonb_array_elements($2::jsonb) AS g(item)',
    id: `(g.item ->> 'id')::bigint`,
    values: `g.item -> 'values'`,
    revision: '$3',
    createdAt: `(g.item ->> 'createdAt')::timestamptz`,
    updatedAt: '$7::timestamptz',
    returning: 'r.*',
    then: `gaps AS (
      UPDATE row_gaps g SET deleted = g.deleted - n.count
      FROM (
        SELECT l.level, (created.id - 1) >> l.shift AS block, count(*) AS count
        FROM created CROSS JOIN (VALUES ${GAP_LEVEL_VALUES}) AS l(level, shift)
        GROUP BY l.level, (created.id - 1) >> l.shift
      ) n
      WHERE g.datagrid_id = $1 AND g.level = n.level AND g.block = n.block
    ), untrashed AS (
      UPDATE row_versions SET in_trash = false
      WHERE datagrid_id = $1 AND row_id = ANY($8::bigint[]) AND in_trash
    ), logged AS (${LOGGED}
    ), counter AS (
      UPDATE datagrid_counters SET row_count = row_count + cardinality($8::bigint[])
      WHERE datagrid_id = $1
    )`,
    columnsFrom: 9,
    result: `SELECT CASE WHEN cardinality($8::bigint[]) = 1 THEN ${ROW_JSON} END AS json
    FROM created r JOIN datagrids d ON d.id = r.datagrid_id
    ORDER BY r.id LIMIT 1`,
  }),
}));

/** A deleted row. */
export interface DeletedRow {
  readonly id: number;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Values by slot, as JSON text. */
  readonly json: string;
}

/**
 * Creates deleted rows again, with their ids and the times at which they were first created. Call
 * inside a transaction that holds the datagrid's lock. The rows must not exist.
 */
@Injectable()
export class RowRecreateRepository {
  constructor(
    private readonly database: Database,
    private readonly links: LinkEntryRepository,
  ) {}

  /**
   * @param part Number of this change among those of the write.
   * @param links `later` if the caller enters the links, because rows that follow are among the linked.
   * @returns the row as the API returns it, if there is exactly one.
   * @throws an error for which `isUniqueViolation` is true, if a unique value is already used;
   *   WrongLinksError, or AppError `forbidden`, for links.
   */
  async recreate(
    schema: DatagridSchema,
    rows: readonly DeletedRow[],
    { revision, at, author }: RowWrite,
    part = 0,
    links: 'now' | 'later' = 'now',
  ): Promise<string | null> {
    const readOnly = new ReadOnlyValues(schema.readOnly, author);
    const given = rows.map(({ id, createdAt, json }) => {
      const values = withMembers(json, { ...readOnly.updater(), ...readOnly.numbers(id) });
      return `{"id":${String(id)},"createdAt":"${createdAt}","values":${values}}`;
    });
    const statement = recreateStatement(enteredOf(schema));
    const [created] = await this.database.run<{ json: string | null }>(statement, [
      schema.datagridId,
      `[${given.join(',')}]`,
      revision,
      part,
      author.userId,
      author.keyId,
      at,
      rows.map(({ id }) => id),
      ...enteredValues(schema),
    ]);
    if (links === 'now') {
      const ids = rows.map(({ id }) => id);
      await this.links.enter(schema, author, ids);
    }
    return created?.json ?? null;
  }
}
