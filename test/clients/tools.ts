import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newOwner } from '../faults/support/owner';
import { ServiceProcess } from '../main/service-process';
import type { Environment } from '../support/built-program';
import type { TestSettings } from '../support/test-settings';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const PROGRAMS = join(__dirname, '.programs');
/** Directories of the installed commands. */
const COMMANDS = [join(__dirname, 'node_modules/.bin'), join(PROGRAMS, 'python/bin')];

const isComplete = (): boolean =>
  existsSync(join(PROGRAMS, 'version')) && spawnSync('java', ['-version']).status === 0;

/**
 * Describes a suite that needs the tools of this directory. If they are not installed, skips the suite
 * and says so, or fails in CI, which installs them.
 */
export function describeWithTools(name: string, suite: () => void): void {
  if (process.env['CI'] === 'true' || isComplete()) {
    describe(name, suite);
    return;
  }
  process.stdout.write(`Skipped, until \`test/clients/install.sh\` has run on Java: ${name}\n`);
  describe.skip(name, suite);
}

export interface ToolResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an installed command to its end. */
export function runTool(
  command: string,
  args: readonly string[],
  { directory, env = {} }: { readonly directory: string; readonly env?: Environment },
): Promise<ToolResult> {
  const path = [...COMMANDS, process.env['PATH'] ?? ''].join(':');
  // The tools send nothing about their use and ask for no updates.
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const options = {
    cwd: directory,
    env: { ...process.env, ...quiet, ...env, PATH: path },
    maxBuffer: 2 ** 26,
  };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(error ?? new Error(command));
    });
  });
}

/** Runs an installed command that must succeed, and returns its standard output. */
export async function outputOf(
  command: string,
  args: readonly string[],
  options: { readonly directory: string; readonly env?: Environment },
): Promise<string> {
  const { code, stdout, stderr } = await runTool(command, args, options);
  if (code !== 0) throw new Error(`${command} exited with ${String(code)}:\n${stdout}${stderr}`);
  return stdout;
}

/** The built service with an account, for clients. */
export class ServiceForClients {
  private constructor(
    private readonly database: TestDatabase,
    readonly process: ServiceProcess,
    readonly origin: string,
    /** API key of the account's owner. */
    readonly key: string,
  ) {}

  static async start(settings: TestSettings = {}): Promise<ServiceForClients> {
    const database = await createTestDatabase();
    const { key } = await newOwner(database.url);
    const copies = { COLUMNAR_DIR: join(tmpdir(), 'datagrid-clients-copies') };
    const service = ServiceProcess.start({ DATABASE_URL: database.url, ...copies, ...settings });
    return new ServiceForClients(database, service, await service.origin(), key);
  }

  async stop(): Promise<void> {
    await ServiceProcess.killAll();
    await this.database.drop();
  }
}
