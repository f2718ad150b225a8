import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the grants of an application, to know how long its registration is needed. */
const UP = 'CREATE INDEX oauth_grants_client ON oauth_grants (client_id);';
const DOWN = 'DROP INDEX oauth_grants_client;';

export class OauthClients1763853500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
