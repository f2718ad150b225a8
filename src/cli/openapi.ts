import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApplication } from '../create-application';
import { readConfig } from '../platform/config/app-config';
import { createLogger } from '../platform/logging/logger';
import { OpenApiDescription } from '../platform/openapi/openapi.controller';

/** Path of the committed document, relative to dist/src/cli. */
const KEPT_FILE = join(__dirname, '../../../docs/openapi.json');

/**
 * Writes the OpenAPI document to docs/openapi.json. With `--check`, fails if that file differs from
 * the document that the code generates. Runs on the built application and needs no database.
 */
async function main(checks: boolean): Promise<void> {
  const logger = createLogger({ logLevel: 'silent' });
  const app = await createApplication(readConfig({}), 'postgres://nowhere', logger);
  const { text } = app.get(OpenApiDescription);
  if (!checks) {
    await writeFile(KEPT_FILE, text);
    return;
  }
  const kept = await readFile(KEPT_FILE, 'utf8').catch(() => '');
  if (kept === text) return;
  const lines = kept.split('\n');
  const line = text.split('\n').findIndex((expected, index) => expected !== lines[index]) + 1;
  process.stderr.write(
    `docs/openapi.json is out of date, from line ${String(line)} on. ` +
      'Run `npm run openapi` and commit the file.\n',
  );
  process.exitCode = 1;
}

void main(process.argv.includes('--check'));
