import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';

const PROGRAM = join(__dirname, 'engine.mjs');
const isHere = existsSync(join(__dirname, 'node_modules/@chdb/lib-linux-x64-gnu'));

/**
 * Describes a suite that needs a ClickHouse engine. If it is not installed, skips the suite and says
 * so, or fails in CI, which installs it.
 */
export function describeWithClickhouse(name: string, suite: () => void): void {
  if (isHere || process.env['CI'] === 'true') {
    describe(name, suite);
  } else {
    const how = 'npm ci --prefix test/support/clickhouse';
    process.stdout.write(`Skipped, until \`${how}\` has run: ${name}\n`);
    describe.skip(name, suite);
  }
}

/** An engine of ClickHouse with an empty database, in a process of its own. */
export class ClickhouseEngine {
  readonly user = 'datagrid';
  readonly password = 'pässword:1';
  readonly database = 'warehouse';

  private constructor(
    private readonly directory: string,
    private child: ChildProcess | null = null,
    /** Port of the HTTP interface. */
    public port = 0,
  ) {}

  static async start(): Promise<ClickhouseEngine> {
    const directory = await mkdtemp(join(tmpdir(), 'clickhouse-'));
    const engine = new ClickhouseEngine(directory);
    await engine.restart();
    return engine;
  }

  /** Kills the process, if there is one, and starts it again with the same data and port. */
  async restart(): Promise<void> {
    await this.kill();
    const data = join(this.directory, 'data');
    const parameters = [PROGRAM, data, this.user, this.password, String(this.port)];
    const child = spawn(process.execPath, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child = child;
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('The engine ended.')));
    ended.catch(() => undefined);
    const lines = createInterface(child.stdout);
    const [port] = (await Promise.race([once(lines, 'line'), ended])) as [string];
    this.port = Number(port);
  }

  /** Runs a statement past the service. @returns the rows of the result. */
  async query(text: string): Promise<Record<string, unknown>[]> {
    const credentials = Buffer.from(`${this.user}:${this.password}`).toString('base64');
    const response = await request(`http://127.0.0.1:${String(this.port)}/`, {
      method: 'POST',
      query: { database: this.database, default_format: 'JSONEachRow' },
      headers: { authorization: `Basic ${credentials}` },
      body: text,
    });
    const body = await response.body.text();
    if (response.statusCode !== 200) throw new Error(body);
    const lines = body.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
