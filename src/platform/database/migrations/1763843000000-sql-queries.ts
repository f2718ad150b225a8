import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds SQL queries. They reference their workspace with ON DELETE CASCADE, so that the previous release
 * can still purge workspaces.
 */
const UP = `
CREATE TABLE sql_queries (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  sql text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT sql_queries_pkey PRIMARY KEY (workspace_id, id),
  CONSTRAINT sql_queries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
    ON DELETE CASCADE
);
CREATE UNIQUE INDEX sql_queries_name ON sql_queries (workspace_id, name_key);
`;

export class SqlQueries1763843000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sql_queries');
  }
}
