import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect } from '../support/built-program';
import { eventually } from '../support/eventually';

const TOOL = join(__dirname, '../../tools/build-when-changed.mjs');

let place: string;

/** Creates a project whose builds write their output and log their names in `builds`. */
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'build-'));
  const shared = ['src/common', 'src/imports/read', 'src/rows/values'];
  for (const folder of ['src', ...shared, 'packages', 'bench', 'console']) {
    mkdirSync(join(place, folder), { recursive: true });
    writeFileSync(join(place, folder, 'main.ts'), '1');
  }
  mkdirSync(join(place, 'tools'));
  cpSync(TOOL, join(place, 'tools/build-when-changed.mjs'));
  writeFileSync(join(place, 'package-lock.json'), '{}');
  writeFileSync(join(place, 'builds'), '');
  const script = (product: string, name: string): string =>
    `mkdir -p $(dirname ${product}) && echo built > ${product} && echo ${name} >> builds`;
  const scripts = {
    'service:build': `test ! -e broken && ${script('dist/src/main.js', 'service')}`,
    'console:build': script('dist/console/index.html', 'console'),
  };
  writeFileSync(join(place, 'package.json'), JSON.stringify({ scripts }));
});

afterEach(() => {
  rmSync(place, { recursive: true });
});

function start(...parts: string[]): { status: number | null; stdout: string; stderr: string } {
  const args = ['tools/build-when-changed.mjs', ...parts];
  return spawnSync(process.execPath, args, { cwd: place, encoding: 'utf8' });
}

const builds = (): string[] =>
  readFileSync(join(place, 'builds'), 'utf8').split('\n').filter(Boolean);

describe('tools/build-when-changed.mjs', () => {
  it('runs the requested builds once, and prints nothing on standard output', () => {
    expect(start('service', 'console')).toMatchObject({ status: 0, stdout: '' });
    expect(builds().sort()).toEqual(['console', 'service']);
    expect(start('service', 'console').status).toBe(0);
    expect(builds()).toHaveLength(2);
  });

  it('says on standard error what it builds, before each build', () => {
    const line = (name: string): string => `Building the ${name}. This can take a minute.`;
    const { stderr } = start('service', 'console');
    expect(stderr.split('\n').sort()).toEqual(['', line('console'), line('service')]);
    appendFileSync(join(place, 'console/main.ts'), '2');
    writeFileSync(join(place, 'broken'), '');
    expect(start('service', 'console').stderr).toBe(`${line('console')}\n`);
    expect(start('console').stderr).toBe('');
  });

  it('says that it waits for another build', async () => {
    mkdirSync(join(place, 'dist'));
    // The lock of a process that runs: this one.
    const lock = join(place, 'dist/.building');
    writeFileSync(lock, String(process.pid));
    const child = spawn(process.execPath, ['tools/build-when-changed.mjs'], { cwd: place });
    const ended = once(child, 'close');
    const stderr = collect(child.stderr);
    await eventually(() => stderr() === 'Waiting for another build to end.\n');
    rmSync(lock);
    expect(await ended).toEqual([0, null]);
    expect(builds()).toEqual(['service']);
  });

  it('does not build the console for a command that needs only the service', () => {
    expect(start().status).toBe(0);
    expect(builds()).toEqual(['service']);
  });

  it('repeats only builds whose sources have changed', () => {
    start('service', 'console');
    appendFileSync(join(place, 'console/main.ts'), '2');
    start('service', 'console');
    expect(builds().slice(2)).toEqual(['console']);
    appendFileSync(join(place, 'src/main.ts'), '2');
    start('service', 'console');
    expect(builds().slice(3)).toEqual(['service']);
    // The console uses these files of the service.
    appendFileSync(join(place, 'src/imports/read/main.ts'), '2');
    start('service', 'console');
    expect(builds().slice(4).sort()).toEqual(['console', 'service']);
  });

  it('fails if a build fails, and repeats it the next time', () => {
    writeFileSync(join(place, 'broken'), '');
    expect(start('service', 'console').status).toBe(1);
    rmSync(join(place, 'broken'));
    expect(start('service', 'console').status).toBe(0);
    expect(builds()).toEqual(['console', 'service']);
  });
});
