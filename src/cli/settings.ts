import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  envExample,
  withSettingSchema,
  withSettingTables,
} from '../platform/config/setting-documents';
import { LIMITS_PAGE, withLimitTables } from '../platform/fairness/limit-documents';

/** Root of the repository, relative to dist/src/cli. */
const ROOT = join(__dirname, '../../..');

/**
 * Writes the documents of the settings: `.env.example`, the tables of `docs/operations.md`, and the
 * settings in the schema of the Helm chart. Writes the tables of limits, too.
 */
async function main(): Promise<void> {
  const operations = join(ROOT, 'docs/operations.md');
  await writeFile(join(ROOT, '.env.example'), envExample());
  await writeFile(operations, withSettingTables(await readFile(operations, 'utf8')));
  const schema = join(ROOT, 'deploy/helm/datagrid-platform/values.schema.json');
  await writeFile(schema, withSettingSchema(await readFile(schema, 'utf8')));
  const limits = join(ROOT, LIMITS_PAGE);
  await writeFile(limits, withLimitTables(await readFile(limits, 'utf8')));
}

void main();
