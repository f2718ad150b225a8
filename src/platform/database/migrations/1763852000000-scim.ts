import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds SCIM. The previous release does not know it. */
const UP = `
CREATE TABLE scim_tokens (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  last_four text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  CONSTRAINT scim_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT scim_tokens_hash UNIQUE (hash),
  CONSTRAINT scim_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
);
CREATE INDEX scim_tokens_account ON scim_tokens (account_id);
CREATE TABLE scim_users (
  user_id uuid NOT NULL,
  account_id uuid NOT NULL,
  user_name text NOT NULL,
  user_name_key text NOT NULL,
  external_id text,
  attributes jsonb NOT NULL,
  given_role text,
  given_workspace_roles jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT scim_users_pkey PRIMARY KEY (user_id),
  CONSTRAINT scim_users_user_name UNIQUE (account_id, user_name_key),
  CONSTRAINT scim_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX scim_users_external_id ON scim_users (account_id, external_id);
CREATE TABLE scim_groups (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  display_name text NOT NULL,
  display_name_key text NOT NULL,
  external_id text,
  role text,
  workspace_roles jsonb NOT NULL DEFAULT '{}',
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT scim_groups_pkey PRIMARY KEY (id),
  CONSTRAINT scim_groups_display_name UNIQUE (account_id, display_name_key),
  CONSTRAINT scim_groups_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
);
CREATE INDEX scim_groups_external_id ON scim_groups (account_id, external_id);
CREATE TABLE scim_group_members (
  group_id uuid NOT NULL,
  user_id uuid NOT NULL,
  CONSTRAINT scim_group_members_pkey PRIMARY KEY (group_id, user_id),
  CONSTRAINT scim_group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES scim_groups (id),
  CONSTRAINT scim_group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX scim_group_members_user ON scim_group_members (user_id);
`;

const DOWN = `
DROP TABLE scim_group_members;
DROP TABLE scim_groups;
DROP TABLE scim_users;
DROP TABLE scim_tokens;
`;

export class Scim1763852000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
