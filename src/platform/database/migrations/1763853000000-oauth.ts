import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds applications that users authorize by OAuth. The access token of a grant is a key with an audience
 * and the id of the grant. The previous release takes it for an API key of the user.
 */
const UP = `
ALTER TABLE api_keys ADD COLUMN audience text;

CREATE TABLE oauth_clients (
  id uuid NOT NULL,
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT oauth_clients_pkey PRIMARY KEY (id)
);
CREATE INDEX oauth_clients_expiry ON oauth_clients (expires_at);
CREATE TABLE oauth_grants (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  client_id text NOT NULL,
  verified_host text,
  redirect_uri text NOT NULL,
  resource text NOT NULL,
  code_hash bytea NOT NULL,
  code_challenge text NOT NULL,
  code_expires_at timestamptz(3) NOT NULL,
  code_used_at timestamptz(3),
  family_hash bytea,
  refresh_hash bytea,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT oauth_grants_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_grants_code UNIQUE (code_hash),
  CONSTRAINT oauth_grants_family UNIQUE (family_hash),
  CONSTRAINT oauth_grants_id_fkey FOREIGN KEY (id) REFERENCES api_keys (id),
  CONSTRAINT oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id);
`;

const DOWN = `
DROP TABLE oauth_grants;
DROP TABLE oauth_clients;
-- A token must not become a key of the user.
UPDATE api_keys SET revoked_at = now() WHERE audience IS NOT NULL AND revoked_at IS NULL;
ALTER TABLE api_keys DROP COLUMN audience;
`;

export class Oauth1763853000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
