import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the grants of an application, to know how long its registration is needed. A host with a metadata document
 * proves nothing about the name of an application, so its column is not called verified.
 */
const UP = `
CREATE INDEX oauth_grants_client ON oauth_grants (client_id);
ALTER TABLE oauth_grants RENAME COLUMN verified_host TO document_host;
`;

const DOWN = `
DROP INDEX oauth_grants_client;
ALTER TABLE oauth_grants RENAME COLUMN document_host TO verified_host;
`;

export class OauthClients1763853500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
