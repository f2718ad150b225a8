import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the history of rows, which is off for existing datagrids. The previous release stores no
 * versions, so it must not write to a datagrid whose history is on.
 */
const UP = `
ALTER TABLE datagrids ADD COLUMN history boolean NOT NULL DEFAULT false;

CREATE TABLE row_versions (
  datagrid_id uuid NOT NULL,
  replaced_revision bigint NOT NULL,
  row_id bigint NOT NULL,
  revision bigint NOT NULL,
  "values" jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  replaced_at timestamptz(3) NOT NULL,
  is_deletion boolean NOT NULL,
  user_id uuid,
  key_id uuid,
  CONSTRAINT row_versions_pkey PRIMARY KEY (datagrid_id, replaced_revision, row_id)
);
CREATE INDEX row_versions_row ON row_versions (datagrid_id, row_id, replaced_revision);
`;

const DOWN = `
DROP TABLE row_versions;
ALTER TABLE datagrids DROP COLUMN history;
`;

export class RowHistory1763819000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
