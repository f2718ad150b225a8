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
const FIND: Statement = {
  name: 'import-linked-keys',
  text: `
    SELECT (
        SELECT v.row_id FROM unique_values v
        WHERE v.datagrid_id = $1 AND v.column_id = $3 AND v.value_hash = ${hashSql('e.value', '$4::text')}
      ) AS "rowId",
      encode(${hashSql('e.value', '$4::text')}, 'hex') AS hash
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

/** A key of a linked row. */
export interface FoundKey {
  /** The row that has the key; `null` if none has it. */
  readonly rowId: number | null;
  /** Hash of the key, as in `unique_values`. */
  readonly hash: string;
}

/** Keys of linked rows on staged lines. Call inside the transaction of a step. */
@Injectable()
export class LinkedKeyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Finds the rows that have values of a unique column.
   * @returns a key for each value, in order; `null` if the column is no longer unique, or compares values
   *   in another way.
   */
  async find(
    accountId: string,
    datagridId: string,
    column: SchemaColumn,
    values: readonly JsonValue[],
  ): Promise<FoundKey[] | null> {
    const json = JSON.stringify(values);
    const parameters = [
      ...[datagridId, accountId, column.id, comparedAs(column), json],
      ...[column.type, ignoresCase(column)],
    ];
    const found = await this.database.run<FoundKey>(FIND, parameters);
    return found.length === values.length ? found : null;
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
