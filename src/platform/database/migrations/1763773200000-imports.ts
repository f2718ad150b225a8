import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the tables of imports. Staged lines are in an unlogged table, because a crash ends their
 * imports anyway. Its autovacuum thresholds are row counts, because the table is emptied as fast as
 * it is filled.
 */
const UP = `
CREATE TABLE imports (
  datagrid_id uuid NOT NULL,
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  user_id uuid NOT NULL,
  idempotency_key text,
  request_hash bytea,
  options jsonb NOT NULL,
  state text NOT NULL DEFAULT 'running',
  total_bytes bigint,
  read_bytes bigint NOT NULL DEFAULT 0,
  rows_read bigint NOT NULL DEFAULT 0,
  created bigint NOT NULL DEFAULT 0,
  updated bigint NOT NULL DEFAULT 0,
  unchanged bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  next_line bigint DEFAULT 1,
  errors jsonb NOT NULL DEFAULT '[]',
  created_columns jsonb NOT NULL DEFAULT '[]',
  failure jsonb,
  is_cleared boolean NOT NULL DEFAULT false,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  CONSTRAINT imports_pkey PRIMARY KEY (datagrid_id, id)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX imports_idempotency_key ON imports (account_id, user_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX imports_uncleared ON imports (datagrid_id, id) WHERE NOT is_cleared;
CREATE INDEX imports_finished_at ON imports (finished_at) WHERE is_cleared;

CREATE UNLOGGED TABLE import_lines (
  datagrid_id uuid NOT NULL,
  import_id uuid NOT NULL,
  line bigint NOT NULL,
  "values" jsonb NOT NULL,
  CONSTRAINT import_lines_pkey PRIMARY KEY (datagrid_id, import_id, line)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
`;

export class Imports1763773200000 implements MigrationInterface {
  name = 'Imports1763773200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE import_lines, imports');
  }
}
