import { once } from 'node:events';
import type { Json } from '../support/api-client';
import { collect, startBuilt, type Environment } from '../support/built-program';

export interface AdminResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an administration command, as `npm run -s admin -- …` does. */
export async function admin(settings: Environment, ...args: string[]): Promise<AdminResult> {
  const child = startBuilt('cli/admin.js', args, settings);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Runs a command with `--json` that must succeed, and returns the JSON object that it prints. */
export async function adminJson(settings: Environment, ...args: string[]): Promise<Json> {
  const response = await admin(settings, ...args, '--json');
  expect(response).toMatchObject({ code: 0, stderr: '' });
  return onlyObject(response);
}

/** Runs a command with `--json` that must fail, and returns the error that it prints. */
export async function adminError(
  settings: Environment,
  ...args: string[]
): Promise<{ code: string; message: string }> {
  const response = await admin(settings, ...args, '--json');
  expect(response.code).toBe(1);
  const { error } = onlyObject(response) as { error: { code: string; message: string } };
  expect(response.stderr).toContain(error.message);
  return error;
}

function onlyObject({ stdout }: AdminResult): unknown {
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}
