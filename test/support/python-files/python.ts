import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAMS = join(__dirname, '.programs');

/**
 * Describes a suite that needs the newest DuckDB and Polars for Python. If they are not installed, skips the
 * suite and says so, or fails in CI, which installs them.
 */
export function describeWithPythonFiles(name: string, suite: () => void): void {
  if (existsSync(join(PROGRAMS, 'version')) || process.env['CI'] === 'true') {
    describe(name, suite);
  } else {
    process.stdout.write(
      `Skipped, until \`test/support/python-files/install.sh\` has run: ${name}\n`,
    );
    describe.skip(name, suite);
  }
}

/** Runs a program of Python. @returns what it prints, which is JSON. */
export async function runPython(
  program: string,
  ...parameters: readonly string[]
): Promise<unknown> {
  const python = join(PROGRAMS, 'python/bin/python');
  const { stdout } = await promisify(execFile)(python, ['-c', program, ...parameters]);
  return JSON.parse(stdout) as unknown;
}
