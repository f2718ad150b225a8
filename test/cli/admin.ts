import { once, type EventEmitter } from 'node:events';
import { runAdmin } from '../../src/cli/admin';
import type { Json } from '../support/api-client';
import { collect, startBuilt } from '../support/built-program';
import { separate, type TestSettings } from '../support/test-settings';

export interface AdminResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an administration command as a process, as `npm run -s admin -- …` does. */
export async function adminProcess(
  settings: TestSettings,
  ...args: string[]
): Promise<AdminResult> {
  const child = startBuilt('cli/admin.js', args, settings);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: stdout(), stderr: stderr() };
}

let lastCommand: Promise<unknown> = Promise.resolve();

/**
 * Runs an administration command in this process, which takes a fraction of the time that a process
 * takes to start. Commands that are run at once run one after another, because they share the output
 * and the exit code of this process.
 */
export function admin(settings: TestSettings, ...args: string[]): Promise<AdminResult> {
  const result = lastCommand.then(() => runHere(settings, args));
  lastCommand = result.catch(() => undefined);
  return result;
}

/** Events to which a command listens. Its process ends with it. */
const EVENTS: readonly string[] = ['SIGINT', 'SIGTERM', 'uncaughtException'];

async function runHere(settings: TestSettings, args: readonly string[]): Promise<AdminResult> {
  const { env, exitCode } = process;
  const events: EventEmitter = process;
  const listeners = EVENTS.map((name) => events.listeners(name));
  let [stdout, stderr] = ['', ''];
  const out = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  const err = jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  process.exitCode = undefined;
  try {
    // A command reads its settings before it waits for the first time.
    process.env = { PATH: env['PATH'], ...separate(settings).env };
    const isDone = runAdmin(args);
    process.env = env;
    await isDone;
    return { code: exitCodeSoFar(), stdout, stderr };
  } finally {
    process.exitCode = exitCode;
    out.mockRestore();
    err.mockRestore();
    for (const [index, name] of EVENTS.entries()) {
      for (const listener of events.listeners(name)) {
        if (!listeners[index]?.includes(listener)) events.off(name, listener as () => void);
      }
    }
  }
}

function exitCodeSoFar(): number {
  return Number(process.exitCode ?? 0);
}

/** Runs a command with `--json` that must succeed, and returns the JSON object that it prints. */
export async function adminJson(settings: TestSettings, ...args: string[]): Promise<Json> {
  const response = await admin(settings, ...args, '--json');
  expect(response).toMatchObject({ code: 0, stderr: '' });
  return onlyObject(response);
}

/** Runs a command with `--json` that must fail, and returns the error that it prints. */
export async function adminError(
  settings: TestSettings,
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
