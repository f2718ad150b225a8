/**
 * Runs the end-to-end suite against a deployment, as docs/qa.md describes. The exit status is 0 if
 * all tests passed, 1 if not, and 2 if the arguments are wrong.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
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

/** Returns results with one error, for a run without tests, so that it does not look successful. */
const nothingRun = (suite) => `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${suite}" tests="1" failures="0" errors="1" time="0">
  <testsuite name="The suite" tests="1" failures="0" errors="1" skipped="0" time="0">
    <testcase classname="The suite" name="begins" time="0">
      <error message="No test was run. The output says why."/>
    </testcase>
  </testsuite>
</testsuites>
`;

/** Matches characters that XML does not allow, such as NUL. Messages of failures may have them. */
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function complete(results, suite) {
  const xml = existsSync(results) ? readFileSync(results, 'utf8') : nothingRun(suite);
  writeFileSync(results, xml.replace(NOT_IN_XML, '\u{fffd}'));
}

function run({ origin, junit, only }) {
  const results = resolve(junit);
  const suite = `End-to-end: ${origin}`;
  // Results of an earlier run must not be mistaken for those of this one.
  mkdirSync(dirname(results), { recursive: true });
  rmSync(results, { force: true });
  const config = resolve(import.meta.dirname, '../test/deployment/jest.config.js');
  const reporters = ['--reporters=default', '--reporters=jest-junit'];
  const jest = resolve(import.meta.dirname, '../node_modules/jest/bin/jest.js');
  // Arguments after the reporters would be read as further reporters.
  const args = [jest, ...(only ? [only] : []), '--config', config, '--ci', ...reporters];
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    cwd: resolve(import.meta.dirname, '..'),
    env: {
      ...process.env,
      E2E_BASE_URL: origin,
      JEST_JUNIT_OUTPUT_FILE: results,
      JEST_JUNIT_SUITE_NAME: suite,
      JEST_JUNIT_CLASSNAME: '{classname}',
      JEST_JUNIT_TITLE: '{title}',
    },
  });
  // Both processes receive Ctrl-C. This one waits until the suite has ended.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('close', (status) => {
    complete(results, suite);
    process.stdout.write(`JUnit: ${results}\n`);
    process.exit(status ?? 1);
  });
}

try {
  run(options());
} catch (error) {
  process.stderr.write(`${error.message}\n${USAGE}`);
  process.exit(2);
}
