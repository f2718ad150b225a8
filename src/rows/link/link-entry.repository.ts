import { Injectable } from '@nestjs/common';
import {
  type AppError,
  type FieldError,
  invalidRequest,
  MAX_COUNTED_DETAILS,
} from '../../common/error/app-error';
import type { JsonValue } from '../../common/json/token-reader';
import type { Author } from '../../datagrids/change-log/change-log-sql';
import type { DatagridSchema, LinkColumn } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { decompressed } from '../storage/row-json-sql';
import { requireLinkAccess } from './link-access';
import { linkedIdsIn } from './linked-ids';

/**
 * SQL of a subquery `v` with the ids in the value of row `r` in a column `x`. Values are numbers, or
 * arrays of numbers.
 */
export const LINKED_IDS = `
  jsonb_array_elements_text(
    CASE WHEN jsonb_typeof(r."values" -> x.slot) = 'array' THEN r."values" -> x.slot
      WHEN jsonb_typeof(r."values" -> x.slot) = 'number' THEN
        ('[' || (r."values" ->> x.slot) || ']')::jsonb
      ELSE '[]' END
  ) AS v(target_id)`;

/** Ids in the values of the rows `$2` in the columns `$3`, whose slots are `$4`. */
const GIVEN = `
  SELECT r.id AS row_id, x.column_id, v.target_id::bigint AS target_id
  FROM (
    SELECT id, ${decompressed('"values"')} AS "values" FROM rows
    WHERE datagrid_id = $1 AND id = ANY($2::bigint[]) OFFSET 0
  ) r
  CROSS JOIN unnest($3::int[], $4::text[]) AS x(column_id, slot)
  CROSS JOIN LATERAL ${LINKED_IDS}`;

const LINK_NAME = "(row_id::text || ' ' || column_id::text || ' ' || target_id::text)";

/**
 * Makes the entries of rows equal to their values. Returns the targets of those that are new, by column.
 * The links given are looked up in one object: PostgreSQL does not know their number, and a join can take
 * minutes for 10,000 links. Citus accepts only immutable functions in the condition of a deletion.
 */
const ENTER: Statement = {
  name: 'link-enter',
  text: `
    WITH given AS MATERIALIZED (${GIVEN}
    ), gone AS (
      DELETE FROM row_links
      WHERE datagrid_id = $1 AND row_id = ANY($2::bigint[]) AND column_id = ANY($3::int[])
        AND NOT (SELECT coalesce(jsonb_object_agg(${LINK_NAME}, null), '{}') FROM given) ? ${LINK_NAME}
    ), entered AS (
      INSERT INTO row_links (datagrid_id, column_id, target_id, row_id)
      SELECT $1, column_id, target_id, row_id FROM given
      ON CONFLICT DO NOTHING
      RETURNING column_id, target_id
    )
    SELECT column_id AS "columnId", json_agg(DISTINCT target_id) AS "targetIds"
    FROM entered GROUP BY column_id`,
};

const REMOVE: Statement = {
  name: 'link-remove',
  text: 'DELETE FROM row_links WHERE datagrid_id = $1 AND row_id = ANY($2::bigint[])',
};

const EXISTING: Statement = {
  name: 'link-existing',
  text: `
    SELECT coalesce(json_agg(id), '[]') AS ids FROM rows
    WHERE datagrid_id = $1 AND id = ANY($2::bigint[])`,
};

/** The first links of the rows `$2` to the rows `$4`, in the order of the rows. */
const LINKS_TO: Statement = {
  name: 'link-links-to',
  text: `
    SELECT g.n::int - 1 AS index, l.target_id AS "targetId"
    FROM unnest($2::bigint[]) WITH ORDINALITY AS g(id, n)
    JOIN row_links l ON l.datagrid_id = $1 AND l.row_id = g.id
    WHERE l.column_id = $3 AND l.target_id = ANY($4::bigint[])
    ORDER BY g.n, l.target_id LIMIT ${String(MAX_COUNTED_DETAILS)}`,
};

const LIST: Statement = {
  name: 'link-list',
  text: `
    SELECT row_id AS "rowId", column_id AS "columnId", target_id AS "targetId" FROM row_links
    WHERE datagrid_id = $1 AND column_id = ANY($2::int[]) AND target_id = ANY($3::bigint[])
    ORDER BY row_id, column_id, target_id LIMIT $4`,
};

const COLUMNS: Statement = {
  name: 'link-columns',
  text: `
    SELECT id FROM datagrid_columns
    WHERE datagrid_id = $1 AND removed_at IS NULL AND options ->> 'datagridId' = $2`,
};

const OUTSIDE_TRASH: Statement = {
  name: 'link-outside-trash',
  text: 'SELECT FROM datagrids WHERE id = $1 AND deleted_at IS NULL',
};

const VALUES: Statement = {
  name: 'link-values',
  text: `
    SELECT r.id, x.slot, r."values" -> x.slot AS value
    FROM rows r CROSS JOIN unnest($3::text[]) AS x(slot)
    WHERE r.datagrid_id = $1 AND r.id = ANY($2::bigint[]) AND r."values" ? x.slot`,
};

/** Targets of the new links of a column. */
interface NewTargets {
  readonly columnId: number;
  readonly targetIds: readonly number[];
}

/** A link of a row to a row of the target. */
export interface RowLink {
  readonly rowId: number;
  readonly columnId: number;
  readonly targetId: number;
}

/** A link that cannot be stored, of the row at an index of the write. */
interface WrongLink {
  readonly index: number;
  readonly column: LinkColumn;
  readonly targetId: number;
}

/** Thrown to roll back a write with links to rows that do not exist. */
export class WrongLinksError extends Error {
  constructor(readonly wrong: readonly WrongLink[]) {
    super('Rows link to rows that do not exist.');
  }

  /** Returns the error details. @param paths The path of each row's values in the request. */
  details(paths: readonly string[]): FieldError[] {
    return this.wrong.map(({ index, column, targetId }) =>
      unknownRow(`${paths[index] ?? 'values'}.${column.key}`, targetId),
    );
  }
}

/**
 * Entries of `row_links`, from which the rows that link to a row are found. Call inside a transaction
 * that holds the lock of the datagrid with the links. While a datagrid can be linked to, its rows are
 * deleted under the locks of the datagrids that link to it, so a row that exists under this lock stays.
 */
@Injectable()
export class LinkEntryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Enters the links of rows that were written.
   * @param rowIds The rows, in the order of the request.
   * @throws WrongLinksError if linked rows do not exist; AppError `forbidden` if the author has no
   *   access to the datagrid of a new link.
   */
  async enter(
    { datagridId, links }: DatagridSchema,
    author: Author,
    rowIds: readonly number[],
  ): Promise<void> {
    if (links.length === 0 || rowIds.length === 0) return;
    const entered = await this.database.run<NewTargets>(ENTER, [
      datagridId,
      rowIds,
      links.map(({ id }) => id),
      links.map(({ slot }) => slot),
    ]);
    const wrong: WrongLink[] = [];
    for (const column of links) {
      const targetIds = entered.find(({ columnId }) => columnId === column.id)?.targetIds;
      if (!targetIds) continue;
      const missing = await this.missingIds(column, author, new Set(targetIds));
      if (missing.size === 0) continue;
      const values = [datagridId, rowIds, column.id, [...missing]];
      const found = await this.database.run<Omit<WrongLink, 'column'>>(LINKS_TO, values);
      wrong.push(...found.map((link) => ({ ...link, column })));
    }
    if (wrong.length > 0) throw new WrongLinksError(wrong.sort((a, b) => a.index - b.index));
  }

  /** Removes the entries of deleted rows. */
  async remove({ datagridId, links }: DatagridSchema, rowIds: readonly number[]): Promise<void> {
    if (links.length > 0) await this.database.run(REMOVE, [datagridId, rowIds]);
  }

  /**
   * Checks the links of values that are not written yet.
   * @param rows Values by slot of each row.
   * @returns the problems of each row that has some, by its index.
   * @throws AppError `forbidden`
   */
  async check(
    { links }: DatagridSchema,
    author: Author,
    rows: readonly Readonly<Record<string, JsonValue>>[],
    pathOf: (index: number) => string,
  ): Promise<ReadonlyMap<number, AppError>> {
    const details = new Map<number, FieldError[]>();
    for (const column of links) {
      const given = rows.map((values) => linkedIdsIn(values, column));
      const ids = new Set<number>();
      for (const own of given) for (const id of own) ids.add(id);
      const missing = await this.missingIds(column, author, ids);
      if (missing.size === 0) continue;
      for (const [index, own] of given.entries()) {
        const field = (): string => `${pathOf(index)}.${column.key}`;
        const problems = own.filter((id) => missing.has(id)).map((id) => unknownRow(field(), id));
        if (problems.length > 0) details.set(index, [...(details.get(index) ?? []), ...problems]);
      }
    }
    return new Map([...details].map(([index, problems]) => [index, invalidRequest(problems)]));
  }

  /** Returns up to `limit` links to rows, in the order of the rows with the links. */
  async list(
    datagridId: string,
    columnIds: readonly number[],
    targetIds: readonly number[],
    limit: number,
  ): Promise<RowLink[]> {
    return this.database.run<RowLink>(LIST, [datagridId, columnIds, targetIds, limit]);
  }

  /** Returns the ids of the columns of a datagrid that link to the datagrid `targetId`. */
  async listColumns(datagridId: string, targetId: string): Promise<number[]> {
    const found = await this.database.run<{ id: number }>(COLUMNS, [datagridId, targetId]);
    return found.map(({ id }) => id);
  }

  async isOutsideTrash(datagridId: string): Promise<boolean> {
    return (await this.database.run(OUTSIDE_TRASH, [datagridId])).length > 0;
  }

  /** Returns the values of rows in some slots. */
  async listValues(
    datagridId: string,
    rowIds: readonly number[],
    slots: readonly string[],
  ): Promise<{ readonly id: number; readonly slot: string; readonly value: JsonValue }[]> {
    return this.database.run(VALUES, [datagridId, rowIds, slots]);
  }

  /** Returns those of the ids that no row of the linked datagrid has. @throws AppError `forbidden` */
  private async missingIds(
    column: LinkColumn,
    author: Author,
    ids: Set<number>,
  ): Promise<ReadonlySet<number>> {
    if (ids.size === 0) return ids;
    requireLinkAccess(author, column);
    const values = [column.options.datagridId, [...ids]];
    const [found] = await this.database.run<{ ids: readonly number[] }>(EXISTING, values);
    for (const id of found?.ids ?? []) ids.delete(id);
    return ids;
  }
}

function unknownRow(field: string, id: number): FieldError {
  const message = `row ${String(id)} does not exist in the linked datagrid`;
  return { field, code: 'unknown_row', message };
}
