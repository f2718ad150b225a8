import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds public links of views. The previous release ignores them. If it deletes a view or a datagrid, it
 * leaves their links, which then return 404.
 */
const UP = `
CREATE TABLE view_links (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  datagrid_id uuid NOT NULL,
  view_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  cursor_key bytea NOT NULL,
  column_ids integer[] NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT view_links_pkey PRIMARY KEY (id),
  CONSTRAINT view_links_view UNIQUE (datagrid_id, view_id),
  CONSTRAINT view_links_token UNIQUE (token_hash)
);
`;

export class ViewLinks1763830000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE view_links');
  }
}
