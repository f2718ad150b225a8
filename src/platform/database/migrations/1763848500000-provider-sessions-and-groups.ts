import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds logouts that providers report, and roles that their groups give. The previous release ignores them. */
const UP = `
ALTER TABLE identity_providers
  ADD COLUMN groups_claim text NOT NULL DEFAULT 'groups',
  ADD COLUMN group_roles jsonb NOT NULL DEFAULT '[]';
ALTER TABLE sessions ADD COLUMN provider_session_id text;
DROP INDEX sessions_provider;
CREATE INDEX sessions_provider ON sessions (provider_id, provider_session_id);
CREATE TABLE provider_logouts (
  provider_id uuid NOT NULL,
  key_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT provider_logouts_pkey PRIMARY KEY (provider_id, key_hash)
);
CREATE INDEX provider_logouts_expiry ON provider_logouts (expires_at);
`;

const DOWN = `
DROP TABLE provider_logouts;
DROP INDEX sessions_provider;
ALTER TABLE sessions DROP COLUMN provider_session_id;
CREATE INDEX sessions_provider ON sessions (provider_id);
ALTER TABLE identity_providers DROP COLUMN group_roles, DROP COLUMN groups_claim;
`;

export class ProviderSessionsAndGroups1763848500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
