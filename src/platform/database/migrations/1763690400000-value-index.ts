import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
CREATE TABLE text_index_entries (
  datagrid_id uuid NOT NULL,
  column_id integer NOT NULL,
  is_empty boolean NOT NULL,
  value text COLLATE "C" NOT NULL,
  row_id bigint NOT NULL,
  CONSTRAINT text_index_entries_pkey PRIMARY KEY (datagrid_id, column_id, is_empty, value, row_id)
);

CREATE TABLE number_index_entries (
  datagrid_id uuid NOT NULL,
  column_id integer NOT NULL,
  is_empty boolean NOT NULL,
  value numeric NOT NULL,
  row_id bigint NOT NULL,
  CONSTRAINT number_index_entries_pkey PRIMARY KEY (datagrid_id, column_id, is_empty, value, row_id)
);

-- NULL: no index; -1: it is complete; otherwise the last row that the background build has done.
ALTER TABLE datagrid_columns ADD COLUMN indexed_to bigint;
CREATE INDEX datagrid_columns_indexing ON datagrid_columns (datagrid_id, id) WHERE indexed_to >= 0;
UPDATE datagrid_columns SET indexed_to = 0
WHERE (is_indexed OR is_unique) AND removed_at IS NULL AND type NOT IN ('json', 'multiSelect');
`;

const DOWN = `
ALTER TABLE datagrid_columns DROP COLUMN indexed_to;
DROP TABLE number_index_entries, text_index_entries;
`;

export class ValueIndex1763690400000 implements MigrationInterface {
  name = 'ValueIndex1763690400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
