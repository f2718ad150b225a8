// Prints a table of the steps and of the files that took long, failures, and the total of all results.
// Usage: node .ci/summary.mjs <directory with the results of each step>
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';

const STEPS = [
  'npm-test',
  'check',
  'long',
  'debian',
  'clients',
  'image',
  'fuzz',
  'fairness',
  'faults',
];
/** Files that took longer are in the table. */
const LONG_SECONDS = 15;
// A step without a results file failed before its first test. It counts as one failure.
const NOTHING = {
  numPassedTests: 0,
  numFailedTests: 1,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
};

const directory = process.argv[2];
const linesOf = (name) => {
  const file = join(directory, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
};
const failures = [];
const runs = STEPS.map((step) => {
  const file = join(directory, `${step}.json`);
  if (existsSync(file)) return { step, ...JSON.parse(readFileSync(file, 'utf8')) };
  failures.push(`${step}, which has no results`);
  return { step, ...NOTHING };
});

/** Returns the beginning and the end of a message, without colors, empty lines and the stack. */
function shorten(message) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => /^(?!\s+at ).*\S/.test(line));
  const shown = lines.length > 16 ? [...lines.slice(0, 6), '…', ...lines.slice(-10)] : lines;
  return shown.map((line) => `  ${line.slice(0, 160)}`).join('\n');
}

const row = (name, seconds, cpuSeconds) =>
  console.log(`${String(seconds).padStart(7)} ${String(cpuSeconds).padStart(7)}  ${name}`);
console.log('\n wall s   CPU s  step (with its processes)');
for (const line of linesOf('steps')) {
  const [seconds, cpuSeconds, ...name] = line.split(' ');
  row(name.join(' '), seconds, cpuSeconds);
}
console.log(
  `\n wall s   CPU s  file of more than ${String(LONG_SECONDS)} s (CPU time with the processes that have ended)`,
);
const files = STEPS.flatMap((step) =>
  linesOf(`${step}.times`).map((line) => ({ step, ...JSON.parse(line) })),
);
for (const { step, path, wallMs, cpuMs } of files.sort((a, b) => b.wallMs - a.wallMs))
  if (wallMs > LONG_SECONDS * 1_000)
    row(`${step} ${relative('.', path)}`, Math.round(wallMs / 1_000), Math.round(cpuMs / 1_000));

for (const { step, testResults = [] } of runs)
  for (const { name, message, assertionResults } of testResults.filter(
    (file) => file.status === 'failed',
  )) {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    // A file that could not be run has no failed test.
    const failed =
      tests.length > 0 ? tests : [{ fullName: 'the whole file', failureMessages: [message] }];
    for (const { fullName, failureMessages } of failed) {
      failures.push(`${step}: ${relative('.', name)}: ${fullName}`);
      console.log(`Failed: ${failures.at(-1)}\n${shorten(failureMessages[0] ?? '')}`);
    }
  }
// Again, next to the total: whoever sees only the end of the output sees what failed.
if (failures.length > 0) console.log(['\nFailed:', ...failures].join('\n  '));

const sum = (member) => runs.reduce((total, run) => total + run[member], 0);
const failed = sum('numFailedTests') + sum('numRuntimeErrorTestSuites');
const skipped = sum('numPendingTests');
console.log(
  `\n${String(sum('numPassedTests'))} passed, ${String(failed)} failed${skipped ? `, ${String(skipped)} skipped` : ''}`,
);
