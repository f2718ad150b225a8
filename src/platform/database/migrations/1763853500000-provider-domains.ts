import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes the domains of providers, by which anybody can search. */
export class ProviderDomains1763853500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX IF NOT EXISTS identity_providers_domains ON identity_providers USING gin (new_user_domains)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX identity_providers_domains');
  }
}
