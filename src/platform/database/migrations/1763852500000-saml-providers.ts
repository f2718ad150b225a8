import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds SAML providers. The previous release signs nobody in by them. */
const UP = `
ALTER TABLE identity_providers
  ADD COLUMN kind text NOT NULL DEFAULT 'openid',
  ADD COLUMN sso_url text,
  ADD COLUMN certificates text[] NOT NULL DEFAULT '{}',
  ALTER COLUMN client_id DROP NOT NULL,
  ALTER COLUMN client_secret DROP NOT NULL;
ALTER TABLE provider_sign_ins
  ADD COLUMN code_hash bytea,
  ADD COLUMN outcome jsonb;
`;

const DOWN = `
ALTER TABLE provider_sign_ins
  DROP COLUMN outcome,
  DROP COLUMN code_hash;
DELETE FROM user_identities WHERE provider_id IN (SELECT id FROM identity_providers WHERE kind = 'saml');
DELETE FROM identity_providers WHERE kind = 'saml';
ALTER TABLE identity_providers
  ALTER COLUMN client_secret SET NOT NULL,
  ALTER COLUMN client_id SET NOT NULL,
  DROP COLUMN certificates,
  DROP COLUMN sso_url,
  DROP COLUMN kind;
`;

export class SamlProviders1763852500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
