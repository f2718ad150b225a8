import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the tables of scheduled imports. They reference their connection with ON DELETE CASCADE, so that
 * the previous release can still delete connections. An import that no user has started has no user.
 */
const UP = `
ALTER TABLE imports ALTER COLUMN user_id DROP NOT NULL;

CREATE TABLE scheduled_imports (
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  datagrid_id uuid NOT NULL,
  name text NOT NULL,
  query text,
  table_name text,
  key_columns text[] NOT NULL,
  columns jsonb,
  missing_rows text NOT NULL DEFAULT 'keep',
  allow_empty_result boolean NOT NULL DEFAULT false,
  interval_seconds integer,
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  last_run_at timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  last_error_at timestamptz(3),
  error_kind text,
  next_run_at timestamptz(3),
  token bigint NOT NULL DEFAULT 0,
  leased_until timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT scheduled_imports_pkey PRIMARY KEY (id),
  CONSTRAINT scheduled_imports_connection_id_fkey FOREIGN KEY (connection_id)
    REFERENCES connections (id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX scheduled_imports_connection ON scheduled_imports (connection_id, id);

CREATE TABLE scheduled_import_runs (
  scheduled_import_id uuid NOT NULL,
  id uuid NOT NULL,
  import_id uuid,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3) NOT NULL,
  rows_read bigint NOT NULL,
  created bigint NOT NULL,
  updated bigint NOT NULL,
  unchanged bigint NOT NULL,
  deleted bigint NOT NULL,
  rejected bigint NOT NULL,
  rejected_rows jsonb NOT NULL DEFAULT '[]',
  note text,
  error text,
  CONSTRAINT scheduled_import_runs_pkey PRIMARY KEY (scheduled_import_id, id),
  CONSTRAINT scheduled_import_runs_scheduled_import_id_fkey FOREIGN KEY (scheduled_import_id)
    REFERENCES scheduled_imports (id) ON DELETE CASCADE
);
CREATE INDEX scheduled_import_runs_started ON scheduled_import_runs (started_at);
`;

const DOWN = `
DROP TABLE scheduled_import_runs, scheduled_imports;
DELETE FROM imports WHERE user_id IS NULL;
ALTER TABLE imports ALTER COLUMN user_id SET NOT NULL;
`;

export class ScheduledImports1763823000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
