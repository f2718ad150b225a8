import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  envExample,
  withCommonSettings,
  withSettingSchema,
  withSettingTables,
} from '../platform/config/setting-documents';
import { LIMITS_PAGE, withLimitTables } from '../platform/fairness/limit-documents';

/** Root of the repository, relative to dist/src/cli. */
const ROOT = join(__dirname, '../../..');

/**
 * Writes the documents of the settings: `.env.example`, the tables in `docs/operations`, and the
 * settings in the schema of the Helm chart. Writes the tables of limits, too.
 */
async function main(): Promise<void> {
  await writeFile(join(ROOT, '.env.example'), envExample());
  const all = join(ROOT, 'docs/operations/settings.md');
  await writeFile(all, withSettingTables(await readFile(all, 'utf8')));
  const common = join(ROOT, 'docs/operations/configure.md');
  await writeFile(common, withCommonSettings(await readFile(common, 'utf8')));
  const schema = join(ROOT, 'deploy/helm/datagrid-platform/values.schema.json');
  await writeFile(schema, withSettingSchema(await readFile(schema, 'utf8')));
  const limits = join(ROOT, LIMITS_PAGE);
  await writeFile(limits, withLimitTables(await readFile(limits, 'utf8')));
}

void main();
