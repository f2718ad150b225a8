import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect } from '../../support/built-program';

const ROOT = join(__dirname, '../../..');
const PACKAGES = ['client', 'command-line'];
const EXAMPLES = join(ROOT, 'packages/client/examples');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Options of a strict project that checks the types of its packages, too. */
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  target: 'es2022',
  module: 'nodenext',
  outDir: 'programs',
  rootDir: '.',
};

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

declare global {
  var installedPackages: InstalledPackages | undefined;
}

/**
 * The client and the command line, packed as they are published, and installed in an empty directory.
 * `npm run test:long` builds them before.
 */
export class InstalledPackages {
  private constructor(readonly directory: string) {}

  /** Returns those of the worker. Its first file installs them, and they are removed when it ends. */
  static get(): InstalledPackages {
    globalThis.installedPackages ??= InstalledPackages.install();
    return globalThis.installedPackages;
  }

  private static install(): InstalledPackages {
    const directory = mkdtempSync(join(tmpdir(), 'datagrid-packed-'));
    process.once('exit', () => {
      rmSync(directory, { recursive: true });
    });
    const tarballs = PACKAGES.map((name) => pack(name, directory));
    const project = { name: 'project', private: true, type: 'module' };
    writeFileSync(join(directory, 'package.json'), JSON.stringify(project));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    npm(['install', ...options, ...tarballs], directory);
    const installed = new InstalledPackages(directory);
    installed.compileExamples();
    return installed;
  }

  path(...names: string[]): string {
    return join(this.directory, ...names);
  }

  /**
   * Checks types with the compiler's options.
   * @throws Error with the output of the compiler.
   */
  checkTypes(options: object, files: readonly string[]): void {
    const compilerOptions = { ...STRICT, ...options };
    writeFileSync(this.path('tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    try {
      execFileSync(process.execPath, [TSC, '-p', this.directory], { encoding: 'utf8' });
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout, { cause: error });
    }
  }

  /** Starts an example of the client. */
  start(name: string, env: Readonly<Record<string, string>>): ChildProcess {
    const program = this.path('programs/examples', `${name}.mjs`);
    return spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Runs an example of the client. */
  run(name: string, env: Readonly<Record<string, string>>): Promise<ProgramResult> {
    return finished(this.start(name, env));
  }

  /** Runs the command line. */
  datagrid(env: Readonly<Record<string, string>>, ...args: string[]): Promise<ProgramResult> {
    const command = this.path('node_modules/.bin/datagrid');
    const PATH = process.env['PATH'] ?? '';
    return finished(spawn(command, args, { env: { PATH, ...env } }));
  }

  private compileExamples(): void {
    cpSync(EXAMPLES, this.path('examples'), {
      recursive: true,
      filter: (path) => !path.endsWith('tsconfig.json'),
    });
    const names = ['create-rows', 'upsert-all', 'copy-file', 'follow-changes', 'receive-webhooks'];
    const types = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };
    const files = names.map((name) => `examples/${name}.mts`);
    this.checkTypes({ lib: ['es2023'], ...types }, files);
  }
}

/** @returns the path of the tarball. */
function pack(name: string, directory: string): string {
  const from = join(ROOT, 'packages', name);
  if (!existsSync(join(from, 'dist'))) {
    throw new Error(`packages/${name} is not built: run \`npm run packages:build\` first.`);
  }
  const target = join(directory, 'tarballs');
  mkdirSync(target, { recursive: true });
  const options = ['--ignore-scripts', '--json', '--pack-destination', target];
  const [packed] = JSON.parse(npm(['pack', ...options], from)) as { filename: string }[];
  return join(target, packed?.filename ?? '');
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

async function finished(child: ChildProcess): Promise<ProgramResult> {
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}
