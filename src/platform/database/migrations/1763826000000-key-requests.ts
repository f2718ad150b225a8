import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the request log of API keys. The previous release ignores it. */
const UP = `
CREATE TABLE api_key_requests (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  user_id uuid NOT NULL,
  key_id uuid NOT NULL,
  method text NOT NULL,
  route text,
  status smallint,
  duration_ms real NOT NULL,
  request_id text NOT NULL,
  error_code text,
  aborted boolean NOT NULL,
  CONSTRAINT api_key_requests_pkey PRIMARY KEY (account_id, id)
);
CREATE TABLE api_key_request_gaps (
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  hour timestamptz(0) NOT NULL,
  user_id uuid NOT NULL,
  left_out bigint NOT NULL,
  CONSTRAINT api_key_request_gaps_pkey PRIMARY KEY (account_id, key_id, hour)
);
`;

export class KeyRequests1763826000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key_requests, api_key_request_gaps');
  }
}
