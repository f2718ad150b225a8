import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds second factors. The previous release does not ask for them: users must not set one up until its last
 * instance has stopped.
 */
const UP = `
CREATE TABLE user_totps (
  user_id uuid NOT NULL,
  secret bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  confirmed_at timestamptz(3),
  last_period bigint NOT NULL DEFAULT 0,
  wrong_codes integer NOT NULL DEFAULT 0,
  CONSTRAINT user_totps_pkey PRIMARY KEY (user_id),
  CONSTRAINT user_totps_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE TABLE user_recovery_codes (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  CONSTRAINT user_recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT user_recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
`;

const DOWN = `
DROP TABLE user_recovery_codes;
DROP TABLE user_totps;
`;

export class SecondFactor1763846000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
