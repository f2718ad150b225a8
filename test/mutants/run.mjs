// Changes the code in one place at a time, and counts the changes that no test notices.
// Usage: npm run test:mutants -- [--count N] [--seed N] [--dir DIRECTORY] [--project DIRECTORY]
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createInstrumenter } from '@stryker-mutator/instrumenter';
import { createInjector } from 'typed-inject';

const AREAS = [
  'src/rows',
  'src/imports',
  'src/changes',
  'src/auth',
  'src/platform/http',
  'src/connections/sync',
];
/** Changes of texts are mostly changes of messages, which documents' tests compare. */
const EXCLUDED = ['StringLiteral', 'Regex'];
/** Code without behavior: types, shapes of tables and of documentation. */
const WITHOUT_BEHAVIOR = /\.(spec|entity|dto|module)\.ts$|\/(dto|testing)\//;
/** Most time of test files to run against one mutant, in milliseconds, as they took without it. */
const MAX_MS = 120_000;
const LANES = 2;

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    /** Keeps the copy, the coverage and the results, so that a run goes on where it ended. */
    dir: { type: 'string' },
    /** Another checkout, whose tests run. */
    project: { type: 'string' },
  },
});
const print = (text) => void process.stdout.write(`${text}\n`);
const here = dirname(fileURLToPath(import.meta.url));
const project = resolve(options.project ?? join(here, '../..'));
const dir = resolve(options.dir ?? (await mkdtemp(join(tmpdir(), 'datagrid-mutants-'))));
const copy = join(dir, 'copy');
const paths = {
  mutants: join(dir, 'mutants.json'),
  coverage: join(dir, 'coverage.jsonl'),
  results: join(dir, 'results.jsonl'),
};

if (!existsSync(paths.mutants)) await writeFile(paths.mutants, JSON.stringify(await instrument()));
const mutants = JSON.parse(await readFile(paths.mutants, 'utf8'));
if (!existsSync(paths.coverage)) await measureCoverage();
const files = readCoverage();
addMutantsAtLoad();
const sample = draw(mutants.filter(({ id }) => files.some((file) => file.mutants.has(id))));
await runAll(sample);
report();

/** Copies the project, with every mutant of the areas as a branch of its code. Returns the mutants. */
async function instrument() {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: project, encoding: 'utf8' });
  for (const path of tracked.split('\0').filter(Boolean)) {
    if (existsSync(join(project, path))) await cp(join(project, path), join(copy, path));
  }
  await mkdir(join(copy, 'test/mutants'), { recursive: true });
  for (const name of ['jest.config.cjs', 'coverage.cjs'])
    await cp(join(here, name), join(copy, 'test/mutants', name));
  for (const name of ['node_modules', 'dist'])
    await symlink(join(project, name), join(copy, name)).catch(() => undefined);
  const sources = tracked
    .split('\0')
    .filter((path) => AREAS.some((area) => path.startsWith(`${area}/`)) && path.endsWith('.ts'))
    .filter((path) => !WITHOUT_BEHAVIOR.test(path));
  const silent = () => undefined;
  const logger = { debug: silent, info: silent, warn: silent, isDebugEnabled: () => false };
  const instrumenter = createInjector()
    .provideValue('logger', logger)
    .injectFunction(createInstrumenter);
  const inputs = sources.map((name) => {
    return { name, mutate: true, content: readFileSync(join(copy, name), 'utf8') };
  });
  const settings = { plugins: ['decorators-legacy'], excludedMutations: EXCLUDED, ignorers: [] };
  const result = await instrumenter.instrument(inputs, settings);
  for (const { name, content } of result.files) await writeFile(join(copy, name), content);
  const originals = new Map(inputs.map(({ name, content }) => [name, content.split('\n')]));
  return result.mutants.map(({ id, fileName, mutatorName, replacement, location }) => {
    const line = originals.get(fileName)?.[location.start.line]?.trim() ?? '';
    const { column } = location.start;
    return {
      id,
      fileName,
      mutatorName,
      replacement,
      line: location.start.line + 1,
      column,
      code: line,
    };
  });
}

/** Runs all tests without a mutant. */
async function measureCoverage() {
  const report = join(dir, 'without-mutant.json');
  const output = ['--json', `--outputFile=${report}`, '--silent'];
  await jest(output, { MUTANT_COVERAGE: `${paths.coverage}.partial` }, 0);
  const { testResults } = JSON.parse(await readFile(report, 'utf8'));
  const failed = new Set(
    testResults.filter((each) => each.status === 'failed').map((each) => each.name),
  );
  for (const name of failed) print(`Fails without a mutant, and is left out: ${name}`);
  const lines = (await readFile(`${paths.coverage}.partial`, 'utf8')).trim().split('\n');
  const passed = lines.filter((line) => !failed.has(JSON.parse(line).path));
  await writeFile(paths.coverage, `${passed.join('\n')}\n`);
}

function readCoverage() {
  const lines = readFileSync(paths.coverage, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { path, ms, mutants: ids, atLoad = [] } = JSON.parse(line);
    return { path: relative(copy, path), ms, mutants: new Set(ids), atLoad };
  });
}

/**
 * A mutant in code that runs while its module is loaded reaches every test file that runs code of the
 * module, whichever file loaded it.
 */
function addMutantsAtLoad() {
  const atLoad = new Set(files.flatMap((file) => file.atLoad));
  const byModule = new Map();
  for (const { id, fileName } of mutants) {
    const ids = byModule.get(fileName) ?? { atLoad: [], all: [] };
    (atLoad.has(id) ? ids.atLoad : ids.all).push(id);
    byModule.set(fileName, ids);
  }
  for (const file of files) {
    for (const ids of byModule.values()) {
      if (ids.atLoad.length === 0 || !ids.all.some((id) => file.mutants.has(id))) continue;
      for (const id of ids.atLoad) file.mutants.add(id);
    }
  }
}

/** Draws the same mutants in each state of the tests, wherever their lines have moved. */
function draw(all) {
  const seen = new Map();
  const keyed = all.map((mutant) => {
    const { fileName, mutatorName, replacement, code, column } = mutant;
    const text = [options.seed, fileName, mutatorName, replacement, code, column].join(' ');
    const turn = (seen.get(text) ?? 0) + 1;
    seen.set(text, turn);
    return [createHash('sha1').update(`${text} ${turn}`).digest('hex'), mutant];
  });
  const drawn = keyed.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, Number(options.count));
  return drawn.map(([key, mutant]) => ({ key, ...mutant }));
}

async function runAll(sample) {
  const done = new Set(readResults().map(({ key }) => key));
  const todo = sample.filter(({ key }) => !done.has(key));
  const lane = async () => {
    for (let mutant = todo.shift(); mutant; mutant = todo.shift()) {
      const result = { ...mutant, ...(await run(mutant)) };
      appendFileSync(paths.results, `${JSON.stringify(result)}\n`);
      print(`${result.outcome} ${mutant.fileName}:${mutant.line} ${mutant.mutatorName}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

function readResults() {
  if (!existsSync(paths.results)) return [];
  return readFileSync(paths.results, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Runs the test files that run the mutant's code, the closest and quickest first. */
async function run({ id, fileName }) {
  const covering = files.filter((file) => file.mutants.has(id));
  const isNear = ({ path }) => Number(path.startsWith(dirname(fileName)));
  covering.sort((a, b) => isNear(b) - isNear(a) || a.ms - b.ms);
  let ms = 0;
  const within = covering.filter((file, n) => (ms += file.ms) <= MAX_MS || n === 0);
  // The quick ones first: most mutants end there.
  const [first, rest] = [within.slice(0, 5), within.slice(5)];
  for (const part of [first, rest].filter(({ length }) => length > 0)) {
    const limitMs = 60_000 + 4 * part.reduce((sum, file) => sum + file.ms, 0);
    const parameters = ['--runInBand', '--bail=1', '--silent', '--runTestsByPath'];
    const status = await jest(
      [...parameters, ...part.map(({ path }) => path)],
      { __STRYKER_ACTIVE_MUTANT__: id },
      limitMs,
    );
    if (status !== 0) return { outcome: status === null ? 'timeout' : 'killed' };
  }
  return { outcome: 'survived', ran: within.length, of: covering.length };
}

/** Returns the exit status, or `null` if the tests took longer than `limitMs`; 0 is no limit. */
function jest(parameters, variables, limitMs) {
  const program = join(project, 'node_modules/jest/bin/jest.js');
  const config = join(copy, 'test/mutants/jest.config.cjs');
  const child = spawn(
    process.execPath,
    [program, '--config', config, '--rootDir', copy, ...parameters],
    {
      cwd: copy,
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'ignore', limitMs === 0 ? 'inherit' : 'ignore'],
      detached: true,
    },
  );
  const timer =
    limitMs === 0 ? undefined : setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limitMs);
  return new Promise((resolve) => {
    child.on('exit', (status) => {
      clearTimeout(timer);
      resolve(status);
    });
  });
}

function report() {
  const keys = new Set(sample.map(({ key }) => key));
  const results = readResults().filter(({ key }) => keys.has(key));
  print(`\nSeed ${options.seed}, ${mutants.length} mutants, ${results.length} of them drawn\n`);
  print('drawn killed survived  area');
  for (const area of [...AREAS, 'src']) {
    const own = results.filter(({ fileName }) => fileName.startsWith(`${area}/`));
    const survived = own.filter(({ outcome }) => outcome === 'survived').length;
    const columns = [own.length, own.length - survived, survived].map((n) => String(n).padStart(5));
    print(`${columns.join('  ')}     ${area}`);
  }
  print('\nSurvived:');
  for (const { fileName, line, code, replacement, outcome, ran, of } of results)
    if (outcome === 'survived')
      print(
        `${fileName}:${line} (${ran} of ${of} files)\n    ${code}\n    → ${replacement.replaceAll(/\s+/g, ' ').slice(0, 160)}`,
      );
}
