import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Defaults are constants, so PostgreSQL rewrites no table. The previous release works without them. */
const UP = `
-- Raised by every change: a version that has been left never comes back.
ALTER TABLE workspaces ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE datagrids ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE datagrid_columns ADD COLUMN version integer NOT NULL DEFAULT 1;

-- Length of title and options, so that it is known without reading them; 0 where it is not known.
ALTER TABLE datagrid_columns ADD COLUMN metadata_bytes integer NOT NULL DEFAULT 0;

-- No later write is dated before this; NULL before the first one.
ALTER TABLE datagrid_counters ADD COLUMN last_written_at timestamptz(3);
`;

const DOWN = `
ALTER TABLE datagrid_counters DROP COLUMN last_written_at;
ALTER TABLE datagrid_columns DROP COLUMN metadata_bytes, DROP COLUMN version;
ALTER TABLE datagrids DROP COLUMN version;
ALTER TABLE workspaces DROP COLUMN version;
`;

export class Versions1763807000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
