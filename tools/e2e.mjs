/**
 * Runs the end-to-end suite against a deployment: docs/qa.md tells how. The exit status is 0 where
 * everything passed, 1 where not, and 2 where the call was wrong.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import process from 'node:process';
import { URL } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `usage: npm run e2e -- --base-url https://data.example.com [--junit FILE] [--only PATTERN]
E2E_API_KEY holds the key of an admin or owner; docs/qa.md tells of the other variables.
`;

function options() {
  const { values } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      junit: { type: 'string', default: 'e2e-results.xml' },
      only: { type: 'string' },
    },
  });
  const url = values['base-url'] ?? '';
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Error('--base-url is no URL');
  if (!process.env.E2E_API_KEY) throw new Error('E2E_API_KEY is not set');
  return { ...values, origin: new URL(url).origin };
}

function run({ origin, junit, only }) {
  const config = resolve(import.meta.dirname, '../test/deployment/jest.config.js');
  const reporters = ['--reporters=default', '--reporters=jest-junit'];
  const jest = resolve(import.meta.dirname, '../node_modules/jest/bin/jest.js');
  // What comes behind the reporters would count as one.
  const args = [jest, ...(only ? [only] : []), '--config', config, '--ci', ...reporters];
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    cwd: resolve(import.meta.dirname, '..'),
    env: {
      ...process.env,
      E2E_BASE_URL: origin,
      JEST_JUNIT_OUTPUT_FILE: resolve(junit),
      JEST_JUNIT_SUITE_NAME: `End-to-end: ${origin}`,
      JEST_JUNIT_CLASSNAME: '{classname}',
      JEST_JUNIT_TITLE: '{title}',
    },
  });
  // Both get Ctrl-C; the suite ends first.
  process.on('SIGINT', () => undefined);
  child.on('close', (status) => {
    process.stdout.write(`JUnit: ${resolve(junit)}\n`);
    process.exit(status ?? 1);
  });
}

try {
  run(options());
} catch (error) {
  process.stderr.write(`${error.message}\n${USAGE}`);
  process.exit(2);
}
