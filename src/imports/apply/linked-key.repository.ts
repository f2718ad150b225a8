import { Injectable } from '@nestjs/common';
import type { JsonValue } from '../../common/json/token-reader';
import { ignoresCase } from '../../datagrids/column-type/column-type';
import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { comparedAs, hashSql } from '../../rows/storage/unique-sql';
import type { ImportRef } from '../job/import.repository';
import type { StagedLine } from './step.repository';

/** Finds each value by its key. A join could read all unique values. */
const FIND_IDS: Statement = {
  name: 'import-linked-keys',
  text: `
    SELECT (
        SELECT v.row_id FROM unique_values v
        WHERE v.datagrid_id = $1 AND v.column_id = $3 AND v.value_hash = ${hashSql('e.value', '$4::text')}
      ) AS "rowId"
    FROM datagrids d
    JOIN datagrid_columns k ON k.datagrid_id = d.id AND k.id = $3
    CROSS JOIN jsonb_array_elements_text($5::jsonb) WITH ORDINALITY AS e(value, ordinal)
    WHERE d.id = $1 AND d.account_id = $2 AND k.datagrid_id = $1
      AND k.is_unique AND k.removed_at IS NULL
      AND k.type = $6 AND coalesce((k.options ->> 'ignoreCase')::boolean, false) = $7
    ORDER BY e.ordinal`,
};

const SET_VALUES: Statement = {
  name: 'import-set-links',
  text: `
    UPDATE import_lines l SET "values" = l."values" || g.links
    FROM unnest($3::bigint[], $4::jsonb[]) AS g(line, links)
    WHERE l.datagrid_id = $1 AND l.import_id = $2 AND l.line = g.line`,
};

/** Keys of linked rows on staged lines. Call inside the transaction of a step. */
@Injectable()
export class LinkedKeyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Finds the rows that have values of a unique column.
   * @returns an id for each value, in order; `null` for none. `null` for all if the column is no longer
   *   unique, or compares values in another way.
   */
  async findIds(
    accountId: string,
    datagridId: string,
    column: SchemaColumn,
    values: readonly JsonValue[],
  ): Promise<(number | null)[] | null> {
    const json = JSON.stringify(values);
    const parameters = [
      ...[datagridId, accountId, column.id, comparedAs(column), json],
      ...[column.type, ignoresCase(column)],
    ];
    const found = await this.database.run<{ rowId: number | null }>(FIND_IDS, parameters);
    return found.length === values.length ? found.map(({ rowId }) => rowId) : null;
  }

  /** Sets values of staged lines, by slot. */
  async setValues({ datagridId, id }: ImportRef, lines: readonly StagedLine[]): Promise<void> {
    await this.database.run(SET_VALUES, [
      datagridId,
      id,
      lines.map(({ line }) => line),
      lines.map(({ values }) => JSON.stringify(values)),
    ]);
  }
}
