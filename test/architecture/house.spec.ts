import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Numbers = Readonly<Record<string, number>>;

const ROOT = join(__dirname, '../..');
const FILE = 'test/architecture/house.json';
const recorded = JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as Numbers;
const run = (program: string, parameters: readonly string[]): string =>
  execFileSync(program, parameters, { cwd: ROOT, encoding: 'utf8' });

/** Every number that a commit has recorded, by name. Empty outside of a repository. */
function committed(): readonly (readonly [name: string, value: number])[] {
  if (!existsSync(join(ROOT, '.git'))) return [];
  const changes = run('git', ['log', '--format=', '-p', '--', FILE]);
  return [...changes.matchAll(/^\+ {2}"(.+)": (\d+),?$/gm)].map(([, name = '', value]) => [
    name,
    Number(value),
  ]);
}

describe(FILE, () => {
  it('has the present numbers: a change that lowers one records it', () => {
    const counted = JSON.parse(run(process.execPath, ['tools/house.mjs', '--json'])) as Numbers;
    expect(recorded).toEqual(counted);
  });

  it('has no number that is higher than in any commit: a change that needs room makes it elsewhere', () => {
    const raised = committed().filter(([name, value]) => (recorded[name] ?? 0) > value);
    expect(raised).toEqual([]);
  });
});
