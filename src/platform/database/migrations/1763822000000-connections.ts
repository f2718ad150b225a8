import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the tables of connections. They reference their workspace with ON DELETE CASCADE, so that the
 * previous release can still purge workspaces.
 */
const UP = `
CREATE TABLE connections (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  settings jsonb NOT NULL,
  secret bytea,
  datagrid_ids uuid[],
  deletions text NOT NULL DEFAULT 'delete',
  interval_seconds integer,
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT connections_pkey PRIMARY KEY (id),
  CONSTRAINT connections_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
    ON DELETE CASCADE
);
CREATE INDEX connections_workspace ON connections (workspace_id, id);
CREATE INDEX connections_account ON connections (account_id);

CREATE TABLE connection_tables (
  connection_id uuid NOT NULL,
  datagrid_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  column_ids integer[],
  revision bigint,
  loaded_rows bigint,
  synced_at timestamptz(3),
  has_more boolean NOT NULL DEFAULT true,
  request text,
  checked_at timestamptz(3),
  different_rows bigint,
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  last_error_at timestamptz(3),
  error_kind text,
  next_run_at timestamptz(3) NOT NULL DEFAULT now(),
  token bigint NOT NULL DEFAULT 0,
  leased_until timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT connection_tables_pkey PRIMARY KEY (connection_id, datagrid_id),
  CONSTRAINT connection_tables_connection_id_fkey FOREIGN KEY (connection_id)
    REFERENCES connections (id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX connection_tables_datagrid ON connection_tables (datagrid_id);
CREATE UNIQUE INDEX connection_tables_name ON connection_tables (connection_id, name);

CREATE TABLE connection_runs (
  connection_id uuid NOT NULL,
  id uuid NOT NULL,
  datagrid_id uuid NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3) NOT NULL,
  rows bigint NOT NULL,
  bytes bigint NOT NULL,
  revision bigint,
  error text,
  CONSTRAINT connection_runs_pkey PRIMARY KEY (connection_id, id),
  CONSTRAINT connection_runs_connection_id_fkey FOREIGN KEY (connection_id)
    REFERENCES connections (id) ON DELETE CASCADE
);
CREATE INDEX connection_runs_started ON connection_runs (started_at);
`;

const DOWN = `
DROP TABLE connection_runs, connection_tables, connections;
`;

export class Connections1763822000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
