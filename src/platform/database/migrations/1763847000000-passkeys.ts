import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds passkeys. The previous release does not accept them, and signs users in without them. */
const UP = `
CREATE TABLE user_passkeys (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  credential_id text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  CONSTRAINT user_passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT user_passkeys_credential UNIQUE (credential_id),
  CONSTRAINT user_passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX user_passkeys_user ON user_passkeys (user_id);
CREATE TABLE passkey_challenges (
  challenge text NOT NULL,
  purpose text NOT NULL,
  user_id uuid,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge)
);
CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);
`;

const DOWN = `
DROP TABLE passkey_challenges;
DROP TABLE user_passkeys;
`;

export class Passkeys1763847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
