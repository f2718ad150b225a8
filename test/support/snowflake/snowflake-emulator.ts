import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';

const PROGRAM = join(__dirname, 'emulator.py');
const PACKAGES = join(__dirname, 'packages');
const isHere = existsSync(join(PACKAGES, 'fakesnow'));

/**
 * Describes a suite that needs the emulator fakesnow. If it is not installed, skips the suite and
 * says so, or fails in CI, which installs it.
 */
export function describeWithSnowflake(name: string, suite: () => void): void {
  if (isHere || process.env['CI'] === 'true') {
    describe(name, suite);
  } else {
    const how = 'test/support/snowflake/install.sh';
    process.stdout.write(`Skipped, until \`${how}\` has run: ${name}\n`);
    describe.skip(name, suite);
  }
}

/** Where an emulator is, and who may use it. */
export interface SnowflakeLogin {
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly schema: string;
  /** Private key of the user, in PEM format. */
  readonly privateKey: string;
}

const NAMES = {
  user: 'DATAGRID',
  password: "pä'ss\\word",
  token: 'programmatic-access-token',
  database: 'WAREHOUSE',
  schema: 'DATAGRIDS',
} as const;

/** The emulator fakesnow with an empty schema, in a process of its own. */
export class SnowflakeEmulator implements SnowflakeLogin {
  readonly user = NAMES.user;
  readonly password = NAMES.password;
  readonly token = NAMES.token;
  readonly database = NAMES.database;
  readonly schema = NAMES.schema;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    readonly privateKey: string,
  ) {}

  /** Returns a key pair in PEM format. */
  static newKeys(): { readonly publicKey: string; readonly privateKey: string } {
    return generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
  }

  static async start(): Promise<SnowflakeEmulator> {
    const { publicKey, privateKey } = SnowflakeEmulator.newKeys();
    const { user, password, token, database, schema } = NAMES;
    const users = JSON.stringify({ [user]: { password, token, publicKey } });
    const child = spawn('python3', [PROGRAM, users, database, schema], {
      env: { ...process.env, PYTHONPATH: PACKAGES },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit').then(() => Promise.reject(new Error('The emulator ended.')));
    ended.catch(() => undefined);
    const [port] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [
      string,
    ];
    return new SnowflakeEmulator(child, Number(port), privateKey);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

/** Ends all sessions with their transactions, as Snowflake does five minutes after their clients. */
export async function endSessions({ port }: Pick<SnowflakeLogin, 'port'>): Promise<void> {
  const url = `http://127.0.0.1:${String(port)}/end-sessions`;
  const { body } = await request(url, { method: 'POST' });
  await body.dump();
}
