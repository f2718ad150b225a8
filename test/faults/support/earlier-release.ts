import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformFile } from '@swc/core';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');

/** Contains the commit of the release that runs while the current one is rolled out. */
const RELEASE_FILE = join(__dirname, '../release-before');

/** The previous release, taken from the repository's history and built. */
export class EarlierRelease {
  private constructor(
    readonly commit: string,
    private readonly root: string,
  ) {}

  /**
   * @returns `null` if the history does not contain the commit because it was cut, as in a shallow
   *   clone or an exported tree.
   * @throws Error if the history is complete but does not contain the commit.
   */
  static async build(): Promise<EarlierRelease | null> {
    const commit = (await readFile(RELEASE_FILE, 'utf8')).trim();
    if (!(await succeeds('cat-file', '-e', `${commit}^{commit}`))) {
      if (await hasWholeHistory()) throw new Error(`There is no commit ${commit}.`);
      return null;
    }
    const root = await mkdtemp(join(tmpdir(), 'datagrid-release-'));
    const archive = join(root, 'source.tar');
    const parts = ['src', 'package.json'];
    await run('git', ['archive', '-o', archive, commit, ...parts], { cwd: ROOT });
    await run('tar', ['-xf', archive, '-C', root]);
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    await compile(root);
    return new EarlierRelease(commit, root);
  }

  /** Build directory, for `StartOptions`. */
  get directory(): string {
    return join(this.root, 'dist/src');
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

const succeeds = (...command: string[]): Promise<boolean> =>
  run('git', command, { cwd: ROOT }).then(
    () => true,
    () => false,
  );

async function hasWholeHistory(): Promise<boolean> {
  if (!(await succeeds('rev-parse', 'HEAD'))) return false;
  const { stdout } = await run('git', ['rev-parse', '--is-shallow-repository'], { cwd: ROOT });
  return stdout.trim() === 'false';
}

/**
 * Compiles the sources as the tests do, without type checks: the types were checked when the
 * release was made.
 */
async function compile(root: string): Promise<void> {
  const names = await readdir(join(root, 'src'), { recursive: true });
  const isSource = (name: string): boolean => /(?<!\.spec|\.d)\.ts$/.test(name);
  await Promise.all(
    names.filter(isSource).map(async (name) => {
      const { code } = await transformFile(join(root, 'src', name), {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: false,
          },
          keepClassNames: true,
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      });
      const target = join(root, 'dist/src', name.replace(/ts$/, 'js'));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, code);
    }),
  );
  if (!existsSync(join(root, 'dist/src/main.js'))) throw new Error('It has no main.ts.');
}
