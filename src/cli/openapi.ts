import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createApplication } from '../create-application';
import { readConfig } from '../platform/config/app-config';
import { createLogger } from '../platform/logging/logger';
import { endpointsPage } from '../platform/openapi/endpoints';
import { OpenApiDescription } from '../platform/openapi/openapi.controller';

/** Root of the repository, relative to dist/src/cli. */
const ROOT = join(__dirname, '../../..');

/**
 * Writes the OpenAPI document to docs/openapi.json, and the list of its operations to
 * docs/api/endpoints.md. With `--check`, fails if one of these files differs from what the code
 * generates. Runs on the built application and needs no database.
 */
async function main(checks: boolean): Promise<void> {
  const logger = createLogger({ logLevel: 'silent' });
  const app = await createApplication(readConfig({}), 'postgres://nowhere', logger);
  const { document, text } = app.get(OpenApiDescription);
  const write = checks ? check : writeFile;
  await write(join(ROOT, 'docs/openapi.json'), text);
  await write(join(ROOT, 'docs/api/endpoints.md'), endpointsPage(document));
}

/** Reports a file whose text differs, and lets the process fail. */
async function check(path: string, text: string): Promise<void> {
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (kept === text) return;
  const lines = kept.split('\n');
  const line = text.split('\n').findIndex((expected, index) => expected !== lines[index]) + 1;
  process.stderr.write(
    `${relative(ROOT, path)} is out of date, from line ${String(line)} on. ` +
      'Run `npm run openapi` and commit the file.\n',
  );
  process.exitCode = 1;
}

void main(process.argv.includes('--check'));
