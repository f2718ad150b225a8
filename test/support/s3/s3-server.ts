import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../eventually';

const PROGRAMS = join(__dirname, '.programs');
const PYTHON = join(PROGRAMS, 'python/bin/python');
const PATIENCE_MS = 60_000;

/**
 * Describes a suite that needs a server of S3. If it is not installed, skips the suite and says so, or
 * fails in CI, which installs it.
 */
export function describeWithS3(name: string, suite: () => void): void {
  if (existsSync(join(PROGRAMS, 'version')) || process.env['CI'] === 'true') {
    describe(name, suite);
    return;
  }
  process.stdout.write(`Skipped, until \`test/support/s3/install.sh\` has run: ${name}\n`);
  describe.skip(name, suite);
}

/** Where a server is. */
export interface S3Login {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A server of S3 with an empty bucket. It keeps all objects in memory, and checks no signatures. */
export class S3Server implements S3Login {
  readonly bucket = 'lake';
  readonly region = 'us-east-1';
  readonly accessKeyId = 'AKIAEXAMPLE';
  readonly secretAccessKey = 'wJalr/secret+key';

  private constructor(
    private readonly child: ChildProcess,
    readonly endpoint: string,
  ) {}

  static async start(): Promise<S3Server> {
    const port = String(await freePort());
    const child = spawn(PYTHON, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', port], {
      stdio: 'ignore',
    });
    let failure: Error | undefined;
    child.on('error', (error) => (failure = error));
    const server = new S3Server(child, `http://127.0.0.1:${port}`);
    await eventually(async () => {
      if (failure) throw failure;
      if (child.exitCode !== null) throw new Error('The server of S3 has ended.');
      return server.createBucket().catch(() => false);
    }, PATIENCE_MS);
    return server;
  }

  /** Settings of a connection. */
  settings(prefix = ''): Readonly<Record<string, unknown>> {
    const { bucket, region, endpoint, accessKeyId } = this;
    return { storage: 's3', bucket, region, endpoint, accessKeyId, prefix };
  }

  /** Returns the content of an object; `null` if there is none. */
  async read(key: string): Promise<Buffer | null> {
    const response = await this.send('GET', key);
    return response.ok ? Buffer.from(await response.arrayBuffer()) : null;
  }

  async write(key: string, body: Buffer | string): Promise<void> {
    const response = await this.send('PUT', key, body);
    if (!response.ok) throw new Error(await response.text());
  }

  async delete(key: string): Promise<void> {
    await this.send('DELETE', key);
  }

  /** Returns the keys that begin so. */
  async list(prefix: string): Promise<string[]> {
    const query = `list-type=2&max-keys=1000&prefix=${encodeURIComponent(prefix)}`;
    const text = await (await this.send('GET', `?${query}`)).text();
    return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key ?? '');
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private async createBucket(): Promise<boolean> {
    return (await this.send('PUT', '')).ok;
  }

  private send(method: string, key: string, body?: Buffer | string): Promise<Response> {
    const credential = `${this.accessKeyId}/20260101/${this.region}/s3/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`;
    const path = key === '' || key.startsWith('?') ? key : `/${key}`;
    return fetch(`${this.endpoint}/${this.bucket}${path}`, {
      method,
      headers: { authorization },
      ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
    });
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
