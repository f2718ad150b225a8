import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AutomaticIndexes1763837000000 } from './1763837000000-automatic-indexes';

/** The new schema version rejects writes that were prepared with these indexes. */
const LEAVE_ENTRIES = `
UPDATE datagrid_counters SET schema_version = schema_version + 1
WHERE datagrid_id IN (SELECT datagrid_id FROM datagrid_columns WHERE is_automatic);
UPDATE datagrid_columns SET indexed_to = NULL, entries_left_at = statement_timestamp()
WHERE is_automatic AND NOT is_indexed AND NOT is_unique AND indexed_to IS NOT NULL;
`;

/**
 * Drops the indexes that the service built by itself, because columnar copies replace them (ADR 61). Their
 * entries become orphans, which the cleanup of columns deletes.
 */
export class NoAutomaticIndexes1763844000000 implements MigrationInterface {
  private readonly added = new AutomaticIndexes1763837000000();

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LEAVE_ENTRIES);
    await this.added.down(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.added.up(runner);
  }
}
