import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = `
CREATE TABLE user_passwords (
  user_id uuid NOT NULL,
  hash text NOT NULL,
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_passwords_pkey PRIMARY KEY (user_id),
  CONSTRAINT user_passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE TABLE user_invites (
  user_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT user_invites_pkey PRIMARY KEY (user_id),
  CONSTRAINT user_invites_token UNIQUE (token_hash),
  CONSTRAINT user_invites_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);

CREATE TABLE sessions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  user_agent text,
  address text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_token UNIQUE (token_hash),
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE INDEX sessions_user ON sessions (user_id);

-- Without a foreign key: counting must not wait for a key's row.
CREATE TABLE api_key_usage (
  key_id uuid NOT NULL,
  day date NOT NULL,
  calls bigint NOT NULL,
  refusals bigint NOT NULL,
  CONSTRAINT api_key_usage_pkey PRIMARY KEY (key_id, day)
);
CREATE INDEX api_key_usage_day ON api_key_usage (day);
`;

export class Console1763787600000 implements MigrationInterface {
  name = 'Console1763787600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key_usage, sessions, user_invites, user_passwords');
  }
}
