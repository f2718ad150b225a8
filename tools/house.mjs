// Prints what the house is measured by: sizes, and how much a reader must follow.
// Usage: npm run house
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '../src');

/** Paths of the source files in `src`, without tests, migrations and what only tests use. */
function sourceFiles(folder = SRC) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory())
      return name === 'migrations' || name === 'testing' ? [] : sourceFiles(path);
    return name.endsWith('.ts') && !name.endsWith('.spec.ts') ? [relative(SRC, path)] : [];
  });
}

const texts = new Map(sourceFiles().map((path) => [path, readFileSync(join(SRC, path), 'utf8')]));

function importsOf(path) {
  const found = [...texts.get(path).matchAll(/\b(?:from|import\() ?'(\.[^']+)'/g)];
  return found.map((match) => `${normalize(join(dirname(path), match[1]))}.ts`).filter((to) => texts.has(to));
}

const imports = new Map([...texts.keys()].map((path) => [path, importsOf(path)]));

function closureOf(start) {
  const seen = new Set();
  const queue = [start];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    queue.push(...imports.get(path));
  }
  return seen;
}

/** Pairs of folders whose files import each other, in both directions. A folder inside another is part of it. */
function mutualFolders() {
  const arrows = new Set();
  for (const [path, targets] of imports) {
    for (const to of targets) {
      const [one, other] = [dirname(path), dirname(to)];
      if (one !== other) arrows.add(`${one} ${other}`);
    }
  }
  return [...arrows]
    .filter((arrow) => {
      const [one, other] = arrow.split(' ');
      return one < other && arrows.has(`${other} ${one}`);
    })
    .sort();
}
const isInside = (pair) => { const [a,b]=pair.split(' '); return b.startsWith(a+'/')||a.startsWith(b+'/')||a==='.'; };
const all = mutualFolders();
console.log(all.length, all.filter((p)=>!isInside(p)).length);
console.log(all.filter((p)=>!isInside(p)).join('\n'));
console.log([...texts.keys()].length, [...texts.values()].reduce((s,t)=>s+t.split('\n').length-1,0), closureOf('rows/row.controller.ts').size);
