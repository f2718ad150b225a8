import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes email addresses unique in an account, no longer in all accounts. The constraint keeps its
 * name, by which the previous release recognizes a duplicate. The address is its first column,
 * because a sign-in looks up users by address.
 */
const UP = [
  'ALTER TABLE users DROP CONSTRAINT users_email',
  'ALTER TABLE users ADD CONSTRAINT users_email UNIQUE (email_key, account_id)',
];

/** Fails if several accounts use the same address. */
const DOWN = [
  'ALTER TABLE users DROP CONSTRAINT users_email',
  'ALTER TABLE users ADD CONSTRAINT users_email UNIQUE (email_key)',
];

export class UsersPerAccount1763805000000 implements MigrationInterface {
  name = 'UsersPerAccount1763805000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
