import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres';
import { MIGRATIONS } from '../../src/platform/database/migrations/migration-list';
import { adminJson } from '../cli/admin';
import { ApiClient, type ApiResponse } from '../support/api-client';
import { ConsoleClient, cookieOf } from '../support/console-client';
import { withClient } from '../support/database-url';
import { eventually } from '../support/eventually';
import { dataOf } from '../support/fixture';
import { Installation, ServiceProcess } from './service-process';

const CURL = /^curl -H "Authorization: Bearer (mk_[0-9A-Za-z]{36})" "(http:\S+\?limit=3)"$/m;

// Each program takes its time to start.
jest.setTimeout(120_000);

let installation: Installation;
let first: ServiceProcess;
let key: string;
let password: string;
let url: string;

/** Opens the database of the installation for `work`. */
async function inDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const dataDir = installation.settings['DATA_DIR'] ?? '';
  const embedded = await openEmbeddedPostgres({ dataDir });
  try {
    return await work(embedded.url);
  } finally {
    await embedded.release();
  }
}

/** Reads the key and the URL of the rows from the output of a first start. */
async function printedBy(service: ServiceProcess): Promise<[key: string, url: string]> {
  const [, key = '', url = ''] = await eventually(() => CURL.exec(service.printed()) ?? undefined);
  return [key, url];
}

beforeAll(async () => {
  installation = await Installation.create();
  first = await installation.ready();
  [key, url] = await printedBy(first);
  [, password = ''] = /^Password: ((?:[a-z2-9]{5}-){3}[a-z2-9]{5})$/m.exec(first.printed()) ?? [];
});

const signIn = (origin: string): Promise<ApiResponse> =>
  new ConsoleClient(origin).post('/session', { email: 'demo@example.com', password });

afterAll(async () => {
  await ServiceProcess.killAll();
  await installation.remove();
});

describe('the first start on an empty embedded database', () => {
  it('prints the base URL, an owner’s key and the URL of the documentation', async () => {
    const origin = await first.origin();
    expect(origin).toMatch(/^http:\/\/localhost:\d+$/);
    expect(first.printed()).toContain(`Base URL: ${origin}/api/v1/public\n`);
    expect(first.printed()).toContain(`API key:  ${key}\n`);
    expect(first.printed()).toContain(`${origin}/docs\n`);
    expect(first.stderr()).toBe('');
    const me = await new ApiClient(origin, key).get('/me');
    expect(me.body.data).toMatchObject({ role: 'owner', account: { name: 'Demo' } });
  });

  it('logs each slow step before it begins', () => {
    const { length } = MIGRATIONS;
    expect(first.log().find(({ msg }) => msg === 'schema migration started')).toMatchObject({
      level: 'info',
      migrations: length,
    });
    const steps = [
      /^Creating a PostgreSQL cluster in /,
      /^Starting PostgreSQL in /,
      /^PostgreSQL is ready /,
      /^schema migration started$/,
      /^demo account creation started$/,
      /^listening$/,
    ];
    const messages = first.log().map(({ msg }) => String(msg));
    const logged = messages.flatMap((msg) => steps.filter((step) => step.test(msg)));
    expect(logged).toEqual(steps);
  });

  it('prints a sign-in for the console, which works and can create a key', async () => {
    const origin = await first.origin();
    expect(first.printed()).toContain(`Console:  ${origin}\nEmail:    demo@example.com\n`);
    const signedIn = await signIn(origin);
    expect(dataOf(signedIn, 200)).toMatchObject({ user: { role: 'owner' } });
    const session = new ConsoleClient(origin, cookieOf(signedIn).token);
    const { id, key: made } = dataOf(await session.post('/keys', { name: 'First' }), 201);
    const api = new ApiClient(origin, made);
    expect((await api.get('/workspaces')).body.data).toMatchObject([{ name: 'Demo' }]);
    expect((await session.delete(`/keys/${id}`)).status).toBe(204);
    expect((await api.get('/workspaces')).status).toBe(401);
  });

  it('prints a curl command that works as printed', async () => {
    const [line = ''] = CURL.exec(first.printed()) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent --show-error`]);
    const { data, meta } = JSON.parse(stdout) as { data: unknown[]; meta: unknown };
    const page = { total: 3376, page: 1, pageSize: 3, totalPages: 1126 };
    expect(meta).toEqual({ ...page, nextCursor: expect.any(String) });
    expect(data[0]).toMatchObject({
      id: 1,
      values: {
        iata: '00M',
        name: 'Thigpen',
        city: 'Bay Springs',
        state: 'MS',
        country: 'USA',
        latitude: 31.95376472,
        longitude: -89.23450472,
      },
    });
  });

  it('creates typed columns, without values where the source has none', async () => {
    const api = new ApiClient(await first.origin(), key);
    const [, path = ''] = /public(\/datagrids\/[^/]+)\/rows/.exec(url) ?? [];
    const datagrid = (await api.get(path)).body.data;
    expect(datagrid).toMatchObject({ name: 'Airports', rowCount: 3376 });
    expect(datagrid.columns).toHaveLength(7);
    expect(datagrid.columns[0]).toMatchObject({
      key: 'iata',
      type: 'text',
      required: true,
      unique: true,
    });
    expect(datagrid.columns[5]).toMatchObject({ key: 'latitude', type: 'number', required: true });
    // Prachinburi: its city and state are "NA" in the source.
    const row = await api.get(`${path}/rows/2795`);
    expect(row.body.data.values).toEqual({
      iata: 'ROP',
      name: 'Prachinburi',
      country: 'Thailand',
      latitude: 14.078333,
      longitude: 101.378334,
    });
  });

  it('creates an embedded database that the operators’ commands share', async () => {
    const listed = await adminJson(
      installation.settings,
      ...['key', 'list', '--email', 'demo@example.com'],
    );
    expect(listed.keys[0]).toMatchObject({ prefix: key.slice(0, 8), state: 'active' });
    expect((await adminJson(installation.settings, 'verify')).ok).toBe(true);
    expect(await installation.postgresPid()).toBeDefined();
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
  });
});

describe('user invite beside a service on the embedded database', () => {
  const base = async (settings: Readonly<Record<string, string>> = {}): Promise<string> => {
    const invite = ['user', 'invite', '--email', 'demo@example.com'];
    const { url: link } = await adminJson({ ...installation.settings, ...settings }, ...invite);
    return String(link).split('/invite/')[0] ?? '';
  };

  it('creates a link to the running service, whatever port it has', async () => {
    expect(await base()).toBe(await first.origin());
    expect(await base({ PORT: '3005' })).toBe(await first.origin());
    expect(await base({ PUBLIC_URL: 'https://data.example.com' })).toBe('https://data.example.com');
  });

  it('creates a link to PUBLIC_URL of the running service', async () => {
    const PUBLIC_URL = 'https://data.example.com';
    const other = await installation.ready({ PUBLIC_URL });
    expect(await base()).toBe(PUBLIC_URL);
    expect(await other.stop()).toBe(0);
    await eventually(async () => (await base()) === (await first.origin()));
  });
});

describe('the data directory of an embedded database', () => {
  it('has a key that seals the secrets of webhooks, in a file that only its user can read', async () => {
    const file = join(installation.settings['DATA_DIR'] ?? '', 'secrets.keys');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [, id, sealingKey = ''] =
      /^(embedded-[0-9a-f]{8}):(\S{44})$/m.exec(await readFile(file, 'utf8')) ?? [];
    const api = new ApiClient(await first.origin(), key);
    const workspaceId = (await api.get('/workspaces')).body.data[0].id;
    const route = `/workspaces/${String(workspaceId)}/webhooks`;
    const { id: webhookId } = dataOf(await api.post(route, { url: 'https://a.example/' }), 201);
    expect(await adminJson(installation.settings, 'secrets', 'status')).toEqual({
      clear: 0,
      keys: [{ id, state: 'current', secrets: 1 }],
      unopenable: 0,
    });
    expect((await api.delete(`${route}/${String(webhookId)}`)).status).toBe(204);
    expect(first.stdout() + first.stderr()).not.toContain(sealingKey);
  });
});

describe('the embedded database and the logs', () => {
  it('contain no API key and no password in clear text', async () => {
    const made = await adminJson(
      installation.settings,
      ...['key', 'create', '--email', 'demo@example.com'],
    );
    const keys = [key, String(made.key)];
    const origin = await first.origin();
    const { headers: signedIn } = await signIn(origin);
    const responses = [{ headers: signedIn }];
    for (const secret of keys) {
      const headers = { authorization: `Bearer ${secret}` };
      const call = async (path: string, options: RequestInit = { headers }): Promise<void> => {
        responses.push(await fetch(`${origin}/api/v1/public/${path}`, options));
      };
      await call('me');
      // A key in a wrong place must not be stored either.
      await call(`me?key=${secret}`, {});
      await call(secret);
      await call(`workspaces?name=${secret}`);
      await call('workspaces', { method: 'POST', headers, body: secret });
    }
    const ids = responses.map(({ headers }) => headers.get('x-request-id'));
    await eventually(() => {
      const logged = new Set(first.log().map(({ requestId }) => requestId));
      return ids.every((id) => logged.has(id));
    });

    const dump = await inDatabase(dumpOf);
    const logs = first.log().map((line) => JSON.stringify(line));
    const everything = [dump, ...logs, first.stderr(), await installation.postgresLog()].join('\n');
    expect(everything).not.toContain(password);
    expect(everything).toContain('$scrypt$');
    expect(everything).toContain('Prachinburi');
    expect(everything).toContain('"msg":"request"');
    for (const secret of keys) {
      expect(everything).toContain(secret.slice(0, 8));
      for (const form of ['utf8', 'hex', 'base64'] as const) {
        const text = Buffer.from(secret.slice(3)).toString(form).replace(/=+$/, '');
        expect(everything).not.toContain(text);
      }
    }
  });
});

describe('a later start', () => {
  it('keeps the data and the key, and prints neither again', async () => {
    const own = await Installation.create();
    try {
      const before = await own.ready();
      const [ownKey, ownUrl] = await printedBy(before);
      expect(await before.stop()).toBe(0);
      expect(await own.postgresPid()).toBeUndefined();
      const later = await own.ready();
      const [, path = ''] = /public(\/.*)$/.exec(ownUrl) ?? [];
      const { body } = await new ApiClient(await later.origin(), ownKey).get(path);
      expect(body.meta.total).toBe(3376);
      expect(await later.stop('SIGINT')).toBe(0);
      expect(later.printed()).toBe('');
      expect(later.log().map(({ msg }) => msg)).not.toContain('schema migration started');
      expect(later.log().map(({ msg }) => msg)).not.toContain('demo account creation started');
      expect(later.stdout() + later.stderr()).not.toMatch(/mk_|Password/);
    } finally {
      await own.remove();
    }
  });
});

describe('a start on an embedded database that has an account', () => {
  it('creates no demo', async () => {
    const other = await Installation.create();
    try {
      const args = ['--name', 'Acme', '--owner-email', 'demo@example.com'];
      await adminJson(other.settings, 'account', 'create', ...args);
      expect(await other.postgresPid()).toBeUndefined();
      const service = await other.ready();
      const made = await adminJson(other.settings, 'key', 'create', '--email', 'demo@example.com');
      const api = new ApiClient(await service.origin(), made.key);
      expect((await api.get('/workspaces')).body.data).toEqual([]);
      expect(await service.stop()).toBe(0);
      expect(service.printed()).toBe('');
    } finally {
      await other.remove();
    }
  });
});

/** Returns every row of every table as text, with binary columns in hexadecimal. */
async function dumpOf(databaseUrl: string): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    const tables = await client.query<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(
        `SELECT t::text AS text FROM ${name} t`,
      );
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  });
}
