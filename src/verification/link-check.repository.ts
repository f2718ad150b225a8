import { Injectable } from '@nestjs/common';
import { COLUMN_TYPE_NAMES, isLink } from '../datagrids/column-type/column-type';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import { LINKED_IDS } from '../rows/link/link-entry.repository';
import type { Check, Finding, ProblemKind } from './problem';

const LINK_TYPES = COLUMN_TYPE_NAMES.filter(isLink).map((type) => `'${type}'`);

/** Maximum number of linked rows that one statement looks up. */
const STEP = 5_000;

/**
 * Common table expressions that compute `compared`: the links of values and of entries, with their
 * sources. Entries of removed columns are excluded: nothing reads them.
 */
const COMPARED = `
  WITH x AS (
    SELECT id AS column_id, slot FROM datagrid_columns
    WHERE datagrid_id = $1 AND type IN (${LINK_TYPES.join(', ')}) AND removed_at IS NULL
  ), compared AS (
    SELECT column_id, target_id, row_id, bool_or(is_value) AS is_value, bool_or(is_entry) AS is_entry
    FROM (
      SELECT x.column_id, v.target_id::bigint AS target_id, r.id AS row_id, true AS is_value,
        false AS is_entry
      FROM rows r CROSS JOIN x CROSS JOIN LATERAL ${LINKED_IDS}
      WHERE r.datagrid_id = $1 AND r."values" ? x.slot
      UNION ALL
      SELECT column_id, target_id, row_id, false, true FROM row_links
      WHERE datagrid_id = $1 AND column_id IN (SELECT column_id FROM x)
    ) l
    GROUP BY column_id, target_id, row_id
  )`;

const FIND: Statement = {
  name: 'verify-link-find',
  text: `
    ${COMPARED}
    SELECT CASE WHEN is_value THEN 'link_missing' ELSE 'link_stale' END AS kind,
      c.column_id AS "columnId", max(k.key) AS column, count(*) AS links, min(row_id) AS "firstRowId"
    FROM compared c JOIN datagrid_columns k ON k.datagrid_id = $1 AND k.id = c.column_id
    WHERE is_value <> is_entry
    GROUP BY 1, 2 ORDER BY 1, 2`,
};

const REPAIR: Statement = {
  name: 'verify-link-repair',
  text: `
    ${COMPARED}, gone AS (
      DELETE FROM row_links l USING compared c
      WHERE l.datagrid_id = $1 AND l.column_id = c.column_id AND l.target_id = c.target_id
        AND l.row_id = c.row_id AND NOT c.is_value
    )
    INSERT INTO row_links (datagrid_id, column_id, target_id, row_id)
    SELECT $1, column_id, target_id, row_id FROM compared WHERE NOT is_entry`,
};

const COLUMNS: Statement = {
  name: 'verify-link-columns',
  text: `
    SELECT id AS "columnId", key AS column, options ->> 'datagridId' AS "targetId"
    FROM datagrid_columns
    WHERE datagrid_id = $1 AND type IN (${LINK_TYPES.join(', ')}) AND removed_at IS NULL`,
};

const TARGETS: Statement = {
  name: 'verify-link-targets',
  text: `
    SELECT DISTINCT target_id AS id FROM row_links
    WHERE datagrid_id = $1 AND column_id = $2 AND target_id > $3
    ORDER BY target_id LIMIT ${String(STEP)}`,
};

const EXISTING: Statement = {
  name: 'verify-link-existing',
  text: 'SELECT id FROM rows WHERE datagrid_id = $1 AND id = ANY($2::bigint[])',
};

const LEFT: Statement = {
  name: 'verify-link-left',
  text: `
    SELECT count(*) AS links, min(row_id) AS "firstRowId" FROM row_links
    WHERE datagrid_id = $1 AND column_id = $2 AND target_id = ANY($3::bigint[])`,
};

const MEANING = {
  link_missing: 'have no entry: a deletion of the linked rows would not find them',
  link_stale: 'have an entry, but no row has them',
  link_broken: 'lead to rows that do not exist',
} as const satisfies Partial<Record<ProblemKind, string>>;

interface Found {
  readonly kind: keyof typeof MEANING;
  readonly columnId: number;
  readonly column: string;
  readonly links: number;
  readonly firstRowId: number;
}

type LinkedColumn = Pick<Found, 'columnId' | 'column'> & { readonly targetId: string };

/** Compares the entries of links with the rows. Links to missing rows are reported, not repaired. */
@Injectable()
export class LinkCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  async find(datagridId: string): Promise<Finding[]> {
    const found = await this.database.run<Found>(FIND, [datagridId]);
    for (const column of await this.database.run<LinkedColumn>(COLUMNS, [datagridId])) {
      found.push(...(await this.findBroken(datagridId, column)));
    }
    return found.map(({ kind, ...figures }) => {
      const message = `${String(figures.links)} links of column ${figures.column} ${MEANING[kind]}`;
      return { kind, message, figures };
    });
  }

  async repair(datagridId: string): Promise<void> {
    await this.database.run(REPAIR, [datagridId]);
  }

  private async findBroken(datagridId: string, column: LinkedColumn): Promise<Found[]> {
    const { columnId, targetId } = column;
    const missing: number[] = [];
    for (let after = 0; ;) {
      const ids = await this.ids(TARGETS, [datagridId, columnId, after]);
      const existing = new Set(await this.ids(EXISTING, [targetId, ids]));
      missing.push(...ids.filter((id) => !existing.has(id)));
      const last = ids.at(-1);
      if (last === undefined) break;
      after = last;
    }
    if (missing.length === 0) return [];
    // A deletion in the meantime has removed the links, too.
    const values = [datagridId, columnId, missing];
    const [left] = await this.database.run<Pick<Found, 'links' | 'firstRowId'>>(LEFT, values);
    if (!left || left.links === 0) return [];
    return [{ kind: 'link_broken', columnId, column: column.column, ...left }];
  }

  private async ids(statement: Statement, values: readonly unknown[]): Promise<number[]> {
    const found = await this.database.run<{ id: number }>(statement, values);
    return found.map(({ id }) => id);
  }
}
