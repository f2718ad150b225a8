import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Numbers = Readonly<Record<string, number>>;

const ROOT = join(__dirname, '../..');
const FILE = 'test/architecture/code-metrics.json';
const recorded = JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as Numbers;
const run = (program: string, parameters: readonly string[]): string =>
  execFileSync(program, parameters, { cwd: ROOT, encoding: 'utf8' });

/** Every count that a commit has recorded, by name. Empty outside of a repository. */
function committed(): readonly (readonly [name: string, value: number])[] {
  if (!existsSync(join(ROOT, '.git'))) return [];
  const changes = run('git', ['log', '--format=', '-p', '--', FILE]);
  return [...changes.matchAll(/^\+ {2}"(.+)": (\d+),?$/gm)].map(([, name = '', value]) => [
    name,
    Number(value),
  ]);
}

describe(FILE, () => {
  it('has the current counts (if not, run `npm run code-metrics -- --json` and store the result)', () => {
    const counted = JSON.parse(
      run(process.execPath, ['tools/code-metrics.mjs', '--json']),
    ) as Numbers;
    expect(recorded).toEqual(counted);
  });

  it('has no count above one that was committed', () => {
    const counts = committed();
    // Otherwise, the form of the file has changed, and nothing would be compared.
    expect(counts.length > 0).toBe(existsSync(join(ROOT, '.git')));
    const raised = counts.filter(([name, value]) => (recorded[name] ?? 0) > value);
    expect(raised).toEqual([]);
  });
});
