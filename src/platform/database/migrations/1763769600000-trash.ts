import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
ALTER TABLE workspaces
  ADD COLUMN deleted_at timestamptz(3),
  DROP CONSTRAINT workspaces_name;
CREATE UNIQUE INDEX workspaces_name ON workspaces (account_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX workspaces_trash ON workspaces (account_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX workspaces_expiry ON workspaces (deleted_at) WHERE deleted_at IS NOT NULL;

ALTER TABLE datagrids
  ADD COLUMN deleted_at timestamptz(3),
  ADD COLUMN deleted_with uuid,
  DROP CONSTRAINT datagrids_name;
CREATE UNIQUE INDEX datagrids_name ON datagrids (workspace_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX datagrids_trash ON datagrids (account_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX datagrids_expiry ON datagrids (deleted_at) WHERE deleted_at IS NOT NULL;
`;

/** Purges all deleted objects. The purge removes their rows in the background. */
const DOWN = `
INSERT INTO datagrid_purges (datagrid_id) SELECT id FROM datagrids WHERE deleted_at IS NOT NULL;
DELETE FROM datagrid_columns k USING datagrids d
  WHERE k.datagrid_id = d.id AND d.deleted_at IS NOT NULL;
DELETE FROM datagrid_counters c USING datagrids d
  WHERE c.datagrid_id = d.id AND d.deleted_at IS NOT NULL;
DELETE FROM datagrids WHERE deleted_at IS NOT NULL;
DELETE FROM workspaces WHERE deleted_at IS NOT NULL;

DROP INDEX datagrids_name, datagrids_trash, datagrids_expiry,
  workspaces_name, workspaces_trash, workspaces_expiry;
ALTER TABLE datagrids
  DROP COLUMN deleted_with,
  DROP COLUMN deleted_at,
  ADD CONSTRAINT datagrids_name UNIQUE (workspace_id, name_key);
ALTER TABLE workspaces
  DROP COLUMN deleted_at,
  ADD CONSTRAINT workspaces_name UNIQUE (account_id, name_key);
`;

export class Trash1763769600000 implements MigrationInterface {
  name = 'Trash1763769600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
