import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the revisions of the first and the last write of an import. */
const UP = `
ALTER TABLE imports ADD COLUMN first_revision bigint, ADD COLUMN last_revision bigint;
`;

const DOWN = `
ALTER TABLE imports DROP COLUMN last_revision, DROP COLUMN first_revision;
`;

export class ImportRevisions1763820500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
