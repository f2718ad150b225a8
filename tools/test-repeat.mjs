/**
 * Runs a suite again and again beside a load, in another order each time, and prints what failed how often. The exit
 * status is 0 if nothing failed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

const USAGE = `usage: npm run test:repeat -- TIMES [--suite SCRIPT] [--load PROCESSES] [-- ARGUMENTS OF JEST]
SCRIPT is test unless given, such as test:long. PROCESSES is the number of busy loops beside the suite, 6 unless given.
`;

function options() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      suite: { type: 'string', default: 'test' },
      load: { type: 'string', default: '6' },
    },
  });
  const [times, ...jest] = positionals;
  const [count, load] = [Number(times), Number(values.load)];
  if (!Number.isInteger(count) || count < 1) throw new Error('TIMES is not a positive integer');
  if (!Number.isInteger(load) || load < 0) throw new Error('--load is not an integer');
  return { count, load, suite: values.suite, jest };
}

const exitOf = (child) => new Promise((resolve) => child.once('exit', resolve));

/** Runs the suite once and returns the names of the tests that failed. */
async function runOnce({ suite, jest }, results) {
  const args = ['run', '-s', suite, '--', ...jest, '--json', `--outputFile=${results}`];
  const status = await exitOf(spawn('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] }));
  let report;
  try {
    report = JSON.parse(readFileSync(results, 'utf8'));
  } catch {
    return [`${suite} printed no results`];
  }
  const failed = report.testResults
    .filter((file) => file.status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const tests = assertionResults.filter((test) => test.status === 'failed');
      const names = tests.length > 0 ? tests.map((test) => test.fullName) : ['the whole file'];
      return names.map((test) => `${relative('.', name)}: ${test}`);
    });
  return failed.length === 0 && status !== 0 ? [`${suite} ended with ${String(status)}`] : failed;
}

async function main(given) {
  const directory = mkdtempSync(join(tmpdir(), 'test-repeat-'));
  const loops = Array.from({ length: given.load }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const stop = () => {
    for (const loop of loops) loop.kill();
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', stop);
  process.once('SIGINT', () => process.exit(130));
  const counts = new Map();
  for (let run = 1; run <= given.count; run += 1) {
    const from = Date.now();
    const failed = await runOnce(given, join(directory, `${String(run)}.json`));
    for (const name of failed) counts.set(name, (counts.get(name) ?? 0) + 1);
    const seconds = Math.round((Date.now() - from) / 1_000);
    process.stdout.write(
      `run ${String(run)}: ${String(failed.length)} failed, ${String(seconds)} s\n`,
    );
  }
  for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a))
    process.stdout.write(`${String(count)} of ${String(given.count)}: ${name}\n`);
  process.stdout.write(`${String(counts.size)} tests failed at least once\n`);
  process.exit(counts.size === 0 ? 0 : 1);
}

let given;
try {
  given = options();
} catch (error) {
  process.stderr.write(`${error.message}\n${USAGE}`);
  process.exit(2);
}
await main(given);
