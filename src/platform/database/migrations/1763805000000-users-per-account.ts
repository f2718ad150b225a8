import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An e-mail address names a user of an account, no longer one of all accounts. The constraint keeps
 * its name: the release before recognizes a duplicate by it. The address comes first, because a
 * sign-in looks users up by it.
 */
const UP = [
  'ALTER TABLE users DROP CONSTRAINT users_email',
  'ALTER TABLE users ADD CONSTRAINT users_email UNIQUE (email_key, account_id)',
];

/** Fails where an address is used in several accounts by now. */
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
