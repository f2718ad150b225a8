import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  envExample,
  withSettingSchema,
  withSettingTables,
} from '../platform/config/setting-documents';

/** Root of the repository, relative to dist/src/cli. */
const ROOT = join(__dirname, '../../..');

/**
 * Writes the documents of the settings: `.env.example`, the tables of
 * `docs/operations/settings.md`, and the settings in the schema of the Helm chart.
 */
async function main(): Promise<void> {
  const tables = join(ROOT, 'docs/operations/settings.md');
  await writeFile(join(ROOT, '.env.example'), envExample());
  await writeFile(tables, withSettingTables(await readFile(tables, 'utf8')));
  const schema = join(ROOT, 'deploy/helm/datagrid-platform/values.schema.json');
  await writeFile(schema, withSettingSchema(await readFile(schema, 'utf8')));
}

void main();
