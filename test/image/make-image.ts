import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { isSent, readStages, ROOT, type Stage } from './dockerfile';

/** Working directory of every stage. */
const WORKDIR = '/app';

export interface HandmadeImage {
  readonly place: string;
  /** Directory that is /app in the image. */
  readonly app: string;
  readonly stage: Stage;
  /** Path of the image's Node. */
  readonly node: string;
}

/**
 * Executes the Dockerfile's steps in an empty directory, with the Node version that the Dockerfile
 * names. Skips RUN in the last stage: it changes only the base image, which does not exist here.
 */
export function makeImage(place: string): HandmadeImage {
  // The image runs as another user, who needs access.
  chmodSync(place, 0o755);
  const stages = readStages();
  const node = installNode(place, stages);
  const made = new Map<string, string>();
  let app = '';
  for (const [at, stage] of stages.entries()) {
    app = join(place, `stage-${String(at)}`);
    mkdirSync(app);
    for (const { instruction, text } of stage.steps) {
      if (instruction === 'COPY') copy(text, app, made);
      if (instruction === 'RUN' && stage.name !== undefined) run(text, app, node);
    }
    if (stage.name !== undefined) made.set(stage.name, app);
  }
  const stage = stages.at(-1);
  if (!stage) throw new Error('The Dockerfile has no stage.');
  return { place, app, stage, node };
}

/** Installs Node from an npm package of the major version that all stages use. */
function installNode(place: string, stages: readonly Stage[]): string {
  const [version, ...others] = new Set(
    stages.map(({ base }) => /^node:(\d+)-slim$/.exec(base)?.[1]),
  );
  if (version === undefined || others.length > 0) {
    throw new Error('The stages use different versions of Node.');
  }
  const at = join(place, 'node');
  mkdirSync(at);
  const name = `node-${process.platform}-${process.arch}@${version}`;
  quietly('npm', ['install', '--ignore-scripts', '--no-save', '--prefix', at, name], {});
  return join(at, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
}

function run(text: string, app: string, node: string): void {
  const path = `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`;
  // The environment contains the machine's settings for package registries.
  const environment = {
    ...process.env,
    NODE_ENV: '',
    PATH: path,
    npm_config_prefer_offline: 'true',
  };
  quietly('/bin/sh', ['-c', text], { cwd: app, env: environment });
}

/** Executes COPY from the build context or another stage, in the forms that the Dockerfile uses. */
function copy(text: string, app: string, made: ReadonlyMap<string, string>): void {
  const words = text.split(' ');
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '';
  const source = from === undefined ? ROOT : made.get(from);
  if (source === undefined) throw new Error(`No stage of this name: ${text}`);
  for (const word of words) {
    if (word === '.') {
      copySent(ROOT, app);
      continue;
    }
    if (from === undefined && !isSent(word)) throw new Error(`Not sent to the build: ${word}`);
    const into = target.endsWith('/') ? join(app, target, word) : join(app, target);
    cpSync(join(source, relative(WORKDIR, resolve(WORKDIR, word))), into, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function copySent(directory: string, app: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const sent = relative(ROOT, path);
    if (!isSent(sent)) continue;
    if (statSync(path).isDirectory()) copySent(path, app);
    else cpSync(path, join(app, sent));
  }
}

function quietly(program: string, args: string[], options: ExecFileSyncOptions): void {
  execFileSync(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
}
