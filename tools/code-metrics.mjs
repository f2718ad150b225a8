// Counts what a reader of the sources must follow. Usage: npm run code-metrics [-- --json]
// `test/architecture/code-metrics.spec.ts` compares some of the counts with those that are recorded.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SRC = join(ROOT, 'src');

/** Texts of the source files by path in `src`, without tests, migrations and what only tests use. */
const texts = new Map(
  pathsIn(SRC).map((path) => [relative(SRC, path), readFileSync(path, 'utf8')]),
);
const imports = new Map([...texts.keys()].map((path) => [path, importsOf(path)]));

function pathsIn(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory())
      return name === 'migrations' || name === 'testing' ? [] : pathsIn(path);
    return name.endsWith('.ts') && !name.endsWith('.spec.ts') ? [path] : [];
  });
}

/** Paths of the source files that a file imports, also for types only. */
function importsOf(path) {
  const found = [...texts.get(path).matchAll(/\b(?:from|import\() ?'(\.[^']+)'/g)];
  return found
    .map(([, name]) => `${normalize(join(dirname(path), name))}.ts`)
    .filter((to) => texts.has(to));
}

/** Number of files that a file loads directly or indirectly, including itself. */
function closureOf(start) {
  const seen = new Set();
  const queue = [start];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    queue.push(...imports.get(path));
  }
  return seen.size;
}

/** Pairs of folders whose files import each other. A folder is part of the one that contains it. */
function mutualFolders() {
  const arrows = new Set();
  for (const [path, targets] of imports)
    for (const to of targets) arrows.add(`${dirname(path)} ${dirname(to)}`);
  return [...arrows].filter((arrow) => {
    const [one, other] = arrow.split(' ');
    const isNested = one === '.' || other.startsWith(`${one}/`) || one.startsWith(`${other}/`);
    return one < other && !isNested && arrows.has(`${other} ${one}`);
  });
}

/** Largest number of providers of a module of Nest. */
function mostProviders() {
  let most = 0;
  const visit = (node) => {
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'providers' &&
      ts.isArrayLiteralExpression(node.initializer)
    )
      most = Math.max(most, node.initializer.elements.length);
    ts.forEachChild(node, visit);
  };
  for (const [path, text] of texts)
    if (path.endsWith('.module.ts'))
      visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return most;
}

/** Number of places in the sources that match, in files whose path matches. */
function count(pattern, paths = /./) {
  const searched = [...texts].filter(([path]) => paths.test(path));
  return searched.reduce((sum, [, text]) => sum + [...text.matchAll(pattern)].length, 0);
}

/** Counts that must not increase. */
const ratchets = {
  'files that the row controller loads': closureOf('rows/row.controller.ts'),
  'pairs of folders that import each other': mutualFolders().length,
  'providers of the largest module': mostProviders(),
  settings: count(/^ +[A-Z][A-Z0-9_]+: setting\(/gm, /^platform\/config\/.*settings\.ts$/),
};

const explained = readFileSync(join(ROOT, 'docs/read-the-code.md'), 'utf8');

const counted = {
  'source files': texts.size,
  'lines of source files': [...texts.values()].reduce(
    (sum, text) => sum + text.split('\n').length - 1,
    0,
  ),
  ...ratchets,
  'files that explain GET rows': [...explained.matchAll(/^\d+\. /gm)].length,
  'classes of responses': count(/^export (abstract )?class \w+Response\b(?!.* extends )/gm),
  'instanceof checks of responses': count(/instanceof \w+Response\b/g),
  'routes that enter the database gate in a service': count(/@EnterGateInService\(\)/g),
  'calls of the database gate in services': count(/\bgate\.run/g, /\.service\.ts$/),
};

if (options.json) process.stdout.write(JSON.stringify(ratchets));
else
  for (const [name, number] of Object.entries(counted))
    process.stdout.write(`${String(number).padStart(7)}  ${name}\n`);
