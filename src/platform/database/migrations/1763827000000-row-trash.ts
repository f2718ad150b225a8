import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the trash of rows: deletions store versions even if history is off. Rows that were deleted
 * before are not in the trash. The previous release stores versions only if history is on, and its
 * deletions do not enter the trash.
 */
const UP = `
ALTER TABLE row_versions ADD COLUMN is_history boolean NOT NULL DEFAULT true,
  ADD COLUMN in_trash boolean NOT NULL DEFAULT false;
CREATE INDEX row_versions_trash ON row_versions (datagrid_id, replaced_revision, row_id)
  WHERE in_trash;
`;

const DOWN = `
DROP INDEX row_versions_trash;
DELETE FROM row_versions WHERE NOT is_history;
ALTER TABLE row_versions DROP COLUMN in_trash, DROP COLUMN is_history;
`;

export class RowTrash1763827000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
