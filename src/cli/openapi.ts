import 'reflect-metadata';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createApplication } from '../create-application';
import { readConfig } from '../platform/config/app-config';
import { createLogger } from '../platform/logging/logger';
import { breaches, type Contract, contractOf, printedContract } from '../platform/openapi/contract';
import { endpointsPage } from '../platform/openapi/endpoints';
import { OpenApiDescription } from '../platform/openapi/openapi.controller';

/** Root of the repository, relative to dist/src/cli. */
const ROOT = join(__dirname, '../../..');

/** What was promised before. It is in the repository, so that a comparison needs no history. */
const CONTRACT = join(ROOT, 'docs/contract.json');

/**
 * Writes the OpenAPI document to docs/openapi.json, the list of its operations to
 * docs/api/endpoints.md, and what it promises to docs/contract.json. Fails if it breaks an earlier
 * promise. With `--check`, also fails if one of these files differs from what the code generates. Runs on the built application and needs no database.
 */
async function main(checks: boolean): Promise<void> {
  const logger = createLogger({ logLevel: 'silent' });
  const app = await createApplication(readConfig({}), 'postgres://nowhere', logger);
  const { document, text } = app.get(OpenApiDescription);
  const write = checks ? check : writeFile;
  await write(join(ROOT, 'docs/openapi.json'), text);
  await write(join(ROOT, 'docs/api/endpoints.md'), endpointsPage(document));
  const contract = contractOf(document);
  if (await isKept(contract)) await write(CONTRACT, printedContract(contract));
}

/** Returns whether a contract keeps the promises of the stored one. Reports those that it breaks. */
async function isKept(contract: Contract): Promise<boolean> {
  const text = await readFile(CONTRACT, 'utf8').catch(() => '{}');
  const broken = breaches(JSON.parse(text) as Contract, contract);
  if (broken.length === 0) return true;
  process.stderr.write(
    `v1 only grows (docs/api/versioning.md), but the API description breaks promises:\n` +
      `${broken.join('\n')}\nIf this is intended, change docs/contract.json by hand.\n`,
  );
  process.exitCode = 1;
  return false;
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
