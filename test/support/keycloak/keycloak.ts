import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, readFile, rm, symlink } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../api-client';
import { eventually } from '../eventually';

const PROGRAMS = join(__dirname, '.programs');
const PROGRAM = join(PROGRAMS, 'keycloak');
const REALM = join(__dirname, 'realm.json');
/** A start takes 20 s on two cores that do nothing else. */
const PATIENCE_MS = 120_000;

const OPTIONS = [
  ...['-Xms64m', '-Xmx256m', '-XX:MaxMetaspaceSize=256m'],
  ...['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
  ...['util', 'util.concurrent', 'security'].map(
    (name) => `--add-opens=java.base/java.${name}=ALL-UNNAMED`,
  ),
  '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory',
  '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
  '-Dpicocli.disable.closures=true',
];

/**
 * Describes a suite that needs Keycloak. If it is not installed, skips the suite and says so, or fails in CI, which
 * installs it.
 */
export function describeWithKeycloak(name: string, suite: () => void): void {
  if (existsSync(join(PROGRAMS, 'version')) || process.env['CI'] === 'true') {
    describe(name, suite);
  } else {
    process.stdout.write(`Skipped, until \`test/support/keycloak/install.sh\` has run: ${name}\n`);
    describe.skip(name, suite);
  }
}

interface Realm {
  readonly realm: string;
  readonly users: readonly {
    readonly username: string;
    readonly credentials: [{ value: string }];
  }[];
  readonly clients: readonly [{ readonly clientId: string; readonly secret: string }];
}

/** Keycloak with the realm of `realm.json`, in a process and a directory of its own. */
export class Keycloak {
  readonly realm = JSON.parse(readFileSync(REALM, 'utf8')) as Realm;
  private readonly admin = { username: 'admin', password: randomBytes(16).toString('hex') };
  private child: ChildProcess | undefined;

  private constructor(
    private readonly directory: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<Keycloak> {
    const directory = await mkdtemp(join(tmpdir(), 'datagrid-keycloak-'));
    const keycloak = new Keycloak(directory, await freePort());
    try {
      // Its data are beside these directories.
      for (const name of ['lib', 'conf', 'providers', 'themes'])
        await symlink(join(PROGRAM, name), join(directory, name));
      await mkdir(join(directory, 'data/import'), { recursive: true });
      await copyFile(REALM, join(directory, 'data/import/realm.json'));
      await keycloak.run();
      return keycloak;
    } catch (error) {
      await keycloak.close();
      throw error;
    }
  }

  /** Another site than `localhost` for browsers. */
  get origin(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get issuer(): string {
    return `${this.origin}/realms/${this.realm.realm}`;
  }

  get clientId(): string {
    return this.realm.clients[0].clientId;
  }

  get clientSecret(): string {
    return this.realm.clients[0].secret;
  }

  passwordOf(username: string): string {
    const user = this.realm.users.find((each) => each.username === username);
    if (!user) throw new Error(`The realm has no user ${username}.`);
    return user.credentials[0].value;
  }

  /** Changes the client, as an administrator does. */
  async changeClient(change: Json): Promise<void> {
    const [client] = (await this.ask('GET', `/clients?clientId=${this.clientId}`)) as [Json];
    await this.ask('PUT', `/clients/${String(client['id'])}`, {
      ...client,
      ...change,
      attributes: { ...client['attributes'], ...change['attributes'] },
    });
  }

  /** Registers another client, as an administrator does. */
  async addClient(client: Json): Promise<void> {
    await this.ask('POST', '/clients', client);
  }

  async changeUser(username: string, change: Json): Promise<void> {
    const user = (await this.ask('GET', `/users/${await this.idOf(username)}`)) as Json;
    await this.ask('PUT', `/users/${String(user['id'])}`, { ...user, ...change });
  }

  /** Makes a user the only member of a group. `null` removes the user from all groups. */
  async putInGroup(username: string, name: string | null): Promise<void> {
    const user = `/users/${await this.idOf(username)}`;
    for (const group of (await this.ask('GET', `${user}/groups`)) as Json[])
      await this.ask('DELETE', `${user}/groups/${String(group['id'])}`);
    if (name === null) return;
    const [group] = (await this.ask('GET', `/groups?search=${name}`)) as [Json];
    await this.ask('PUT', `${user}/groups/${String(group['id'])}`);
  }

  /** Ends all sessions of a user. */
  async signOut(username: string): Promise<void> {
    await this.ask('POST', `/users/${await this.idOf(username)}/logout`);
  }

  /** Kills the process. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    const log = join(this.directory, 'log');
    const output = await open(log, 'w');
    const child = spawn(
      'java',
      [
        ...OPTIONS,
        `-Dkc.home.dir=${this.directory}`,
        `-Djboss.server.config.dir=${join(this.directory, 'conf')}`,
        ...['-cp', join(PROGRAM, 'lib/quarkus-run.jar')],
        ...['io.quarkus.bootstrap.runner.QuarkusEntryPoint', 'start', '--optimized'],
        ...['--import-realm', '--cache=local', '--http-enabled=true', '--hostname-strict=false'],
        ...['--http-host=127.0.0.1', `--http-port=${String(this.port)}`],
      ],
      {
        stdio: ['ignore', output.fd, output.fd],
        env: {
          ...process.env,
          KC_BOOTSTRAP_ADMIN_USERNAME: this.admin.username,
          KC_BOOTSTRAP_ADMIN_PASSWORD: this.admin.password,
        },
      },
    );
    this.child = child;
    let failure: Error | undefined;
    child.on('error', (error) => (failure = error));
    await output.close();
    await eventually(
      async () => {
        if (failure) throw failure;
        if (child.exitCode !== null) throw new Error(await readFile(log, 'utf8'));
        return fetch(this.issuer).then(
          ({ ok }) => ok,
          () => false,
        );
      },
      PATIENCE_MS,
      200,
    );
  }

  private async idOf(username: string): Promise<string> {
    const [user] = (await this.ask('GET', `/users?exact=true&username=${username}`)) as [Json];
    return String(user['id']);
  }

  /** Asks the API for administrators of the realm. */
  private async ask(method: string, path: string, body?: Json): Promise<unknown> {
    const response = await fetch(`${this.origin}/admin/realms/${this.realm.realm}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await this.token()}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${String(response.status)}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  private async token(): Promise<string> {
    const url = `${this.origin}/realms/master/protocol/openid-connect/token`;
    const body = new URLSearchParams({
      grant_type: 'password',
      client_id: 'admin-cli',
      ...this.admin,
    });
    const { access_token: token } = (await (
      await fetch(url, { method: 'POST', body })
    ).json()) as Json;
    return String(token);
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
