import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
-- Since when a column has left entries or claims behind that are to be cleared away; NULL: none.
ALTER TABLE datagrid_columns
  ADD COLUMN entries_left_at timestamptz(3),
  ADD COLUMN claims_left_at timestamptz(3);
DROP INDEX datagrid_columns_indexing;
CREATE INDEX datagrid_columns_upkeep ON datagrid_columns (datagrid_id, id)
  WHERE indexed_to >= 0 OR entries_left_at IS NOT NULL OR claims_left_at IS NOT NULL;
`;

/** Deletes leftover entries and claims, because the previous release has none. */
const DOWN = `
DELETE FROM text_index_entries e USING datagrid_columns k
  WHERE e.datagrid_id = k.datagrid_id AND e.column_id = k.id AND k.entries_left_at IS NOT NULL;
DELETE FROM number_index_entries e USING datagrid_columns k
  WHERE e.datagrid_id = k.datagrid_id AND e.column_id = k.id AND k.entries_left_at IS NOT NULL;
DELETE FROM unique_values v USING datagrid_columns k
  WHERE v.datagrid_id = k.datagrid_id AND v.column_id = k.id AND k.claims_left_at IS NOT NULL;
UPDATE datagrid_columns SET indexed_to = 0
  WHERE entries_left_at IS NOT NULL AND removed_at IS NULL AND (is_indexed OR is_unique)
    AND type NOT IN ('json', 'multiSelect');

DROP INDEX datagrid_columns_upkeep;
ALTER TABLE datagrid_columns DROP COLUMN entries_left_at, DROP COLUMN claims_left_at;
CREATE INDEX datagrid_columns_indexing ON datagrid_columns (datagrid_id, id) WHERE indexed_to >= 0;
`;

export class ColumnRemains1763780400000 implements MigrationInterface {
  name = 'ColumnRemains1763780400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
