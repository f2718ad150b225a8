import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the change log. It begins empty: the revisions of existing rows have no entries. Keeps
 * `row_tombstones`, because replicas of the previous release still write it.
 */
const UP = `
CREATE TABLE datagrid_changes (
  datagrid_id uuid NOT NULL,
  revision bigint NOT NULL,
  part integer NOT NULL,
  revisions integer NOT NULL,
  kind text NOT NULL,
  first_id bigint,
  row_count integer NOT NULL,
  row_ids bigint[],
  user_id uuid,
  key_id uuid,
  at timestamptz(3) NOT NULL,
  CONSTRAINT datagrid_changes_pkey PRIMARY KEY (datagrid_id, revision, part)
);
`;

const DOWN = `
DROP TABLE datagrid_changes;
`;

export class ChangeLog1763815000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
