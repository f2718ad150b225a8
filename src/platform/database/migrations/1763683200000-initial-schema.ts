import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
CREATE TABLE accounts (
  id uuid NOT NULL,
  name text NOT NULL,
  suspended boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT accounts_pkey PRIMARY KEY (id)
);

CREATE TABLE users (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  role text NOT NULL,
  suspended boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_email UNIQUE (email_key),
  CONSTRAINT users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
);
CREATE INDEX users_account ON users (account_id);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  prefix text NOT NULL,
  last_four text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_hash UNIQUE (hash),
  CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX api_keys_user ON api_keys (user_id);

CREATE TABLE workspaces (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  description text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT workspaces_pkey PRIMARY KEY (id),
  CONSTRAINT workspaces_name UNIQUE (account_id, name_key),
  CONSTRAINT workspaces_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
);
CREATE INDEX workspaces_account ON workspaces (account_id, id);

CREATE TABLE datagrids (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  description text NOT NULL DEFAULT '',
  plain_values boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT datagrids_pkey PRIMARY KEY (id),
  CONSTRAINT datagrids_name UNIQUE (workspace_id, name_key),
  CONSTRAINT datagrids_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
);
CREATE INDEX datagrids_workspace ON datagrids (workspace_id, id);

CREATE TABLE datagrid_columns (
  datagrid_id uuid NOT NULL,
  id integer NOT NULL,
  key text NOT NULL,
  slot text NOT NULL,
  title text NOT NULL,
  type text NOT NULL,
  is_required boolean NOT NULL DEFAULT false,
  is_unique boolean NOT NULL DEFAULT false,
  is_indexed boolean NOT NULL DEFAULT false,
  options jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  removed_at timestamptz(3),
  CONSTRAINT datagrid_columns_pkey PRIMARY KEY (datagrid_id, id)
);
CREATE UNIQUE INDEX datagrid_columns_key ON datagrid_columns (datagrid_id, key) WHERE removed_at IS NULL;

-- Updated by every write: room on each page keeps the updates off the index (HOT).
CREATE TABLE datagrid_counters (
  datagrid_id uuid NOT NULL,
  last_row_id bigint NOT NULL DEFAULT 0,
  row_count bigint NOT NULL DEFAULT 0,
  revision bigint NOT NULL DEFAULT 0,
  schema_version integer NOT NULL DEFAULT 1,
  CONSTRAINT datagrid_counters_pkey PRIMARY KEY (datagrid_id)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

CREATE TABLE rows (
  datagrid_id uuid NOT NULL,
  id bigint NOT NULL,
  "values" jsonb NOT NULL,
  revision bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT rows_pkey PRIMARY KEY (datagrid_id, id)
);

CREATE TABLE row_gaps (
  datagrid_id uuid NOT NULL,
  level smallint NOT NULL,
  block bigint NOT NULL,
  deleted integer NOT NULL,
  CONSTRAINT row_gaps_pkey PRIMARY KEY (datagrid_id, level, block)
) WITH (fillfactor = 50);

CREATE TABLE unique_values (
  datagrid_id uuid NOT NULL,
  column_id integer NOT NULL,
  value_hash bytea NOT NULL,
  row_id bigint NOT NULL,
  CONSTRAINT unique_values_pkey PRIMARY KEY (datagrid_id, column_id, value_hash)
);

CREATE TABLE row_tombstones (
  datagrid_id uuid NOT NULL,
  row_id bigint NOT NULL,
  revision bigint NOT NULL,
  CONSTRAINT row_tombstones_pkey PRIMARY KEY (datagrid_id, row_id)
);

CREATE TABLE datagrid_purges (
  datagrid_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT datagrid_purges_pkey PRIMARY KEY (datagrid_id)
);
`;

const DOWN = `
DROP TABLE datagrid_purges, row_tombstones, unique_values, row_gaps, rows, datagrid_counters,
  datagrid_columns, datagrids, workspaces, api_keys, users, accounts;
`;

export class InitialSchema1763683200000 implements MigrationInterface {
  name = 'InitialSchema1763683200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
