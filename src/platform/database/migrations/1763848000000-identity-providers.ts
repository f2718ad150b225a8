import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds OpenID providers. The previous release does not know them. */
const UP = `
CREATE TABLE identity_providers (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  name text NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  client_secret bytea NOT NULL,
  new_user_role text,
  new_user_domains text[] NOT NULL,
  trusts_email boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT identity_providers_pkey PRIMARY KEY (id),
  CONSTRAINT identity_providers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id)
);
CREATE INDEX identity_providers_account ON identity_providers (account_id);
CREATE TABLE user_identities (
  provider_id uuid NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_identities_pkey PRIMARY KEY (provider_id, subject),
  CONSTRAINT user_identities_user UNIQUE (user_id, provider_id),
  CONSTRAINT user_identities_provider_id_fkey FOREIGN KEY (provider_id)
    REFERENCES identity_providers (id),
  CONSTRAINT user_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE TABLE provider_sign_ins (
  state_hash bytea NOT NULL,
  provider_id uuid NOT NULL,
  browser_hash bytea NOT NULL,
  nonce text NOT NULL,
  verifier text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT provider_sign_ins_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX provider_sign_ins_expiry ON provider_sign_ins (expires_at);
ALTER TABLE sessions ADD COLUMN provider_id uuid;
CREATE INDEX sessions_provider ON sessions (provider_id);
`;

const DOWN = `
ALTER TABLE sessions DROP COLUMN provider_id;
DROP TABLE provider_sign_ins;
DROP TABLE user_identities;
DROP TABLE identity_providers;
`;

export class IdentityProviders1763848000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
