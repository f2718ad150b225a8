import { once } from 'node:events';
import type { Json } from '../support/api-client';
import { collect, startBuilt, type Environment } from '../support/built-program';

export interface AdminAnswer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an operators' command, as `npm run -s admin -- …` does. */
export async function admin(settings: Environment, ...args: string[]): Promise<AdminAnswer> {
  const child = startBuilt('cli/admin.js', args, settings);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

/** The one JSON object that a command that must succeed prints with `--json`. */
export async function adminJson(settings: Environment, ...args: string[]): Promise<Json> {
  const answer = await admin(settings, ...args, '--json');
  expect(answer).toMatchObject({ code: 0, stderr: '' });
  return onlyObject(answer);
}

/** The error of a command that must fail, from its one JSON object. */
export async function adminError(
  settings: Environment,
  ...args: string[]
): Promise<{ code: string; message: string }> {
  const answer = await admin(settings, ...args, '--json');
  expect(answer.code).toBe(1);
  const { error } = onlyObject(answer) as { error: { code: string; message: string } };
  expect(answer.stderr).toContain(error.message);
  return error;
}

function onlyObject({ stdout }: AdminAnswer): unknown {
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}
