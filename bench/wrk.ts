import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadOptions, LoadRates } from './load-request';

const run = promisify(execFile);

/** Prints the figures as one line of JSON. wrk measures durations in microseconds. */
const PRINT_RESULT = `
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"requests":%d,"micros":%d,"p50":%d,"p99":%d,"rejected":%d,"broken":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`;

/** Takes a random path of a file for each request. */
const randomPath = (file: string): string => `
local requests = {}
function init()
  math.randomseed(os.time())
  for path in io.lines(${quoted(file)}) do requests[#requests + 1] = wrk.format(nil, path) end
end
function request()
  return requests[math.random(#requests)]
end
`;

interface Figures {
  readonly requests: number;
  readonly micros: number;
  readonly p50: number;
  readonly p99: number;
  readonly rejected: number;
  readonly broken: number;
}

/** Returns the version of the installed wrk; `null` if there is none. */
export function wrkVersion(): string | null {
  try {
    return readVersion(execFileSync('wrk', ['--version'], { encoding: 'utf8' }));
  } catch (error) {
    // `wrk --version` ends with status 1.
    const { stdout } = error as { stdout?: string };
    return stdout === undefined ? null : readVersion(stdout);
  }
}

const readVersion = (text: string): string | null => /^wrk\s+(\S+)/.exec(text)?.[1] ?? null;

/**
 * Loads a server with wrk, whole seconds long, in one thread. wrk is compiled, so that it waits for the
 * server and not the server for it.
 */
export async function loadWithWrk(options: LoadOptions): Promise<LoadRates> {
  const { port, request, connections, seconds } = options;
  await expectStatus(options);
  const folder = await mkdtemp(join(tmpdir(), 'datagrid-wrk-'));
  try {
    const script = join(folder, 'request.lua');
    const headers = Object.entries(request.headers).map(
      ([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`,
    );
    const body = request.body === undefined ? [] : [`wrk.body = ${quoted(request.body)}`];
    const lines = [`wrk.method = ${quoted(request.method)}`, ...headers, ...body, PRINT_RESULT];
    if (request.paths) {
      const file = join(folder, 'paths');
      await writeFile(file, request.paths.join('\n'));
      lines.push(randomPath(file));
    }
    await writeFile(script, lines.join('\n'));
    const { stdout } = await run('wrk', [
      '--threads=1',
      `--connections=${String(connections)}`,
      `--duration=${String(Math.max(1, Math.round(seconds)))}s`,
      `--script=${script}`,
      `http://127.0.0.1:${String(port)}${request.path}`,
    ]);
    const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Figures;
    const { requests, micros, p50, p99, rejected, broken } = figures;
    if (rejected + broken > 0) {
      throw new Error(`${String(rejected)} requests were rejected, ${String(broken)} failed.`);
    }
    return {
      requests,
      requestsPerSecond: requests / (micros / 1e6),
      p50Ms: p50 / 1000,
      p99Ms: p99 / 1000,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sends the request once, because wrk only tells errors from other responses. */
async function expectStatus({ port, request, expectedStatus }: LoadOptions): Promise<void> {
  const { method, path, headers, body } = request;
  const url = `http://127.0.0.1:${String(port)}${path}`;
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  await response.arrayBuffer();
  if (response.status !== expectedStatus) {
    throw new Error(`The response was ${String(response.status)}.`);
  }
}

/** Prints a text as a string of Lua. */
function quoted(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`);
  return `"${bytes.join('')}"`;
}
