import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually';

const PROGRAM = 'redis-server';
const MAX_ATTEMPTS = 3;
const isHere = spawnSync(PROGRAM, ['--version']).status === 0;

/**
 * Describes a suite that needs a real Redis. If the machine has none, skips the suite and says so,
 * or fails in CI, which installs it.
 */
export function describeWithRedis(name: string, suite: () => void): void {
  if (isHere || process.env['CI'] === 'true') {
    describe(name, suite);
  } else {
    process.stdout.write(`Skipped, for want of ${PROGRAM}: ${name}\n`);
    describe.skip(name, suite);
  }
}

export interface RedisOptions {
  readonly password?: string;
  /** Paths of PEM files for TLS. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
}

/** A Redis server that a test can kill, pause and restart. */
export class RedisServer {
  private readonly directory = mkdtempSync(join(tmpdir(), 'datagrid-redis-'));
  private process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly options: RedisOptions,
  ) {}

  static async start(options: RedisOptions = {}): Promise<RedisServer> {
    for (let attempt = 1; ; attempt += 1) {
      const server = new RedisServer(await freePort(), options);
      try {
        await server.start();
        return server;
      } catch (error) {
        // Another process may have taken the port meanwhile.
        await server.remove();
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  get url(): string {
    return this.urlOn(this.port);
  }

  /** Returns the URL of the same server on another port, such as that of a proxy. */
  urlOn(port: number): string {
    const { password, tls } = this.options;
    const user = password === undefined ? '' : `:${password}@`;
    return `${tls ? 'rediss' : 'redis'}://${user}127.0.0.1:${String(port)}`;
  }

  /** Starts the server on the same port, without data. */
  async start(): Promise<void> {
    const { password, tls } = this.options;
    const plain = ['--port', String(this.port)];
    const secure = tls && [
      ...['--port', '0', '--tls-port', String(this.port), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', tls.certFile, '--tls-key-file', tls.keyFile],
      ...['--tls-ca-cert-file', tls.certFile],
    ];
    const child = spawn(
      PROGRAM,
      [
        ...(secure ?? plain),
        ...['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', this.directory],
        ...(password === undefined ? [] : ['--requirepass', password]),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.process = child;
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(`${PROGRAM} has ended: ${said}`);
      return said.includes('Ready to accept connections');
    });
  }

  /** Runs a command on the server. `caFile` is needed if the server uses TLS. */
  async query<T>(command: (client: Redis) => Promise<T>, caFile?: string): Promise<T> {
    const tls = caFile === undefined ? {} : { tls: { ca: readFileSync(caFile) } };
    const client = new Redis(this.url, tls);
    try {
      return await command(client);
    } finally {
      client.disconnect();
    }
  }

  async kill(): Promise<void> {
    const { process: child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  pause(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
