import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { envExample, withSettingTables } from '../platform/config/setting-documents';

/** Root of the repository, relative to dist/src/cli. */
const ROOT = join(__dirname, '../../..');

/** Writes the documents of the settings: `.env.example` and the tables of `docs/operations.md`. */
async function main(): Promise<void> {
  const operations = join(ROOT, 'docs/operations.md');
  await writeFile(join(ROOT, '.env.example'), envExample());
  await writeFile(operations, withSettingTables(await readFile(operations, 'utf8')));
}

void main();
