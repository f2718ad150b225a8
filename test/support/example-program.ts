import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

const run = promisify(execFile);

/** Path of a Python interpreter with the package `requests`, if the machine has one. */
const python = ['python3', '/usr/bin/python3'].map(pathWithRequests).find(Boolean);

function pathWithRequests(command: string): string | undefined {
  const print = 'import requests, sys; print(sys.executable)';
  try {
    return execFileSync(command, ['-c', print], { stdio: 'pipe' }).toString().trim();
  } catch {
    return undefined;
  }
}

interface Program {
  /** Returns the text of the program's file. */
  readonly write: (code: string) => string;
  readonly file: string;
  /** Command with which a reader runs the example. */
  readonly command: readonly [string, ...string[]];
}

const PROGRAMS = {
  curl: {
    // Without this option, curl does not fail on an error status.
    write: (code) => `curl() { command curl --fail-with-body "$@"; }\nset -e\n${code}\n`,
    file: 'call.sh',
    command: ['sh', 'call.sh'],
  },
  TypeScript: {
    write: (code) =>
      ts.transpileModule(`${code}\nexport {};`, {
        compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
      }).outputText,
    file: 'call.mjs',
    command: [process.execPath, 'call.mjs'],
  },
  Python: { write: (code) => code, file: 'call.py', command: [python ?? 'python3', 'call.py'] },
} satisfies Readonly<Record<string, Program>>;

export type ExampleLanguage = keyof typeof PROGRAMS;

const ALL: readonly ExampleLanguage[] = ['curl', 'TypeScript', 'Python'];
// The Python package may be missing on a developer's machine. CI installs it.
const isMissing = python === undefined && process.env['CI'] === undefined;

/** Languages of examples that this machine can run. */
export const EXAMPLE_LANGUAGES = ALL.filter((name) => name !== 'Python' || !isMissing);

/** Returns a `PATH` that starts with the `node` and `python3` that run the examples. */
export function examplePath(): string {
  const programs = [python ?? process.execPath, process.execPath].map((path) => dirname(path));
  return [...programs, process.env['PATH'] ?? ''].join(delimiter);
}

/**
 * Runs an example in a directory, as a reader would.
 * @returns its output.
 * @throws Error if it fails.
 */
export async function runExample(
  language: ExampleLanguage,
  code: string,
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program, ...values] = await writeExample(language, code, directory);
  const { stdout } = await run(program, values, {
    cwd: directory,
    env: { ...process.env, ...env },
  });
  return stdout;
}

/** Starts an example that runs until it is killed. */
export async function startExample(
  language: ExampleLanguage,
  code: string,
  directory: string,
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const [program, ...values] = await writeExample(language, code, directory);
  return spawn(program, values, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Writes the file of an example, and returns its command. */
async function writeExample(
  language: ExampleLanguage,
  code: string,
  directory: string,
): Promise<Program['command']> {
  const { write, file, command }: Program = PROGRAMS[language];
  await writeFile(join(directory, file), write(code));
  return command;
}
