import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds saved views. The previous release ignores them, and leaves those of a datagrid that it
 * purges, which no one can read.
 */
const UP = `
CREATE TABLE datagrid_views (
  datagrid_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  name_key text NOT NULL,
  filter text,
  sort text,
  q text,
  columns jsonb NOT NULL DEFAULT '[]',
  query_column_ids integer[] NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT datagrid_views_pkey PRIMARY KEY (datagrid_id, id)
);
CREATE UNIQUE INDEX datagrid_views_name ON datagrid_views (datagrid_id, name_key);
`;

export class Views1763828000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE datagrid_views');
  }
}
