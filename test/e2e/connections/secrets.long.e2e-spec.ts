import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectionSecretRepository } from '../../../src/connections/connection-secret.repository';
import { ConnectionSecretService } from '../../../src/connections/connection-secret.service';
import { DestinationError } from '../../../src/destinations/destination';
import { DESTINATION_KINDS, type KindsByType } from '../../../src/destinations/destination-kinds';
import { Database } from '../../../src/platform/database/database';
import { parseKeyFile } from '../../../src/platform/secrets/key-file';
import { Sealer } from '../../../src/platform/secrets/sealer';
import type { ApiResponse } from '../../support/api-client';
import { FakeKind, FAKE_SETTINGS } from '../../support/fake-destination';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { type Member, TestApp } from '../../support/test-app';
import { createTestDatabase, type TestDatabase } from '../../support/test-database';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

const OLD = key('old');
const NEW = key('new');
const SECRET = 'swordfish-4711';
const OTHER = 'marlin-0815';

let directory: string;
let database: TestDatabase;
/** The instance that runs now, and its keys. */
let running: { readonly app: TestApp; readonly keys: string } | undefined;
let app: TestApp;
let kind: FakeKind;
let serial = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'datagrid-keys-'));
  database = await createTestDatabase();
});

afterEach(() => app.sql.query('DELETE FROM connections'));

afterAll(async () => {
  await running?.app.close();
  await database.drop();
  await rm(directory, { recursive: true });
});

/** Runs the service with the keys of a file. Starts another instance only if the keys differ. */
async function start(...keys: string[]): Promise<void> {
  kind = new FakeKind(true);
  const text = keys.join('\n');
  if (running?.keys !== text) {
    await running?.app.close();
    const file = join(directory, `keys-${String((serial += 1))}`);
    await writeFile(file, text);
    const settings = { LOG_LEVEL: 'trace', ...(keys.length > 0 && { SECRETS_KEY_FILE: file }) };
    running = { app: await TestApp.start({ database, settings }), keys: text };
  }
  ({ app } = running);
  app.logs.length = 0;
  const kinds = app.nest.get<KindsByType>(DESTINATION_KINDS, { strict: false });
  Object.assign(kinds, { postgresql: kind });
}

interface Created {
  readonly owner: Member;
  readonly id: string;
  readonly route: string;
  readonly response: ApiResponse;
}

const BODY = { name: 'Warehouse', type: 'postgresql', settings: FAKE_SETTINGS };

async function create(secret: string, headers: Record<string, string> = {}): Promise<Created> {
  const owner = await app.newAccount();
  const workspaceId = await newWorkspace(owner.api);
  await newDatagrid(owner.api, [], workspaceId);
  const route = `/workspaces/${workspaceId}/connections`;
  const response = await owner.api.post(route, { ...BODY, secret }, headers);
  const id = String(dataOf(response, 201).id);
  return { owner, id, route: `${route}/${id}`, response };
}

/** Tests a connection and returns the result. */
async function test({ owner, route }: Created): Promise<object> {
  return dataOf(await app.api(owner.key).post(`${route}/test`), 200) as object;
}

/** Returns every row of every table as text, with bytes in hexadecimal digits. */
async function dump(): Promise<string> {
  const { rows } = await app.sql.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const tables = await Promise.all(
    rows.map(({ name }) =>
      app.sql.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`),
    ),
  );
  return tables.flatMap((table) => table.rows.map(({ text }) => text)).join('\n');
}

/** Searches the database and the logs for a secret in each of its forms. */
async function placesOf(secret: string): Promise<string[]> {
  const bytes = Buffer.from(secret);
  const forms = [secret, bytes.toString('hex'), bytes.toString('base64')];
  const [tables, logs] = [await dump(), app.logs.join('\n')];
  return forms.flatMap((form) => [
    ...(tables.includes(form) ? [`database: ${form}`] : []),
    ...(logs.includes(form) ? [`log: ${form}`] : []),
  ]);
}

/** The service of the operator commands, with the keys of a file. */
function commands(...keys: string[]): ConnectionSecretService {
  const sealer = new Sealer(parseKeyFile(keys.join('\n')));
  const repository = new ConnectionSecretRepository(app.nest.get(Database));
  return new ConnectionSecretService(repository, sealer);
}

describe('the secret of a connection', () => {
  it('is in no response, table or log if SECRETS_KEY_FILE is set, and reaches the destination', async () => {
    await start(OLD);
    const created = await create(SECRET, { 'idempotency-key': 'create-1' });
    const { owner, route } = created;
    const { api } = owner;
    const list = route.slice(0, route.lastIndexOf('/'));
    const again = { 'idempotency-key': 'update-1' };
    const responses = [
      created.response,
      await api.get(route),
      await api.get(list),
      await api.post(`${list}/test`, { type: BODY.type, settings: FAKE_SETTINGS, secret: SECRET }),
      await api.post(`${route}/test`),
      await api.get(`${route}/tables`),
      await api.patch(route, { secret: OTHER }, again),
      await api.patch(route, { secret: OTHER }, again),
      await api.patch(route, { secret: OTHER, password: OTHER }),
      await api.post(list, { ...BODY, secret: SECRET, settings: { password: 5 } }),
      await api.post(`${route}/test`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([
      201, 200, 200, 200, 200, 200, 200, 200, 400, 400, 200,
    ]);
    expect(kind.tested.map(({ secret }) => secret)).toEqual([SECRET, SECRET, OTHER]);
    expect(kind.tested[1]).toMatchObject({ accountId: owner.accountId, connectionId: created.id });
    const texts = responses.map(({ text }) => text).join('\n');
    expect(texts).toContain('"hasSecret":true');
    expect((await dump()).includes(created.id)).toBe(true);
    for (const secret of [SECRET, OTHER]) {
      expect(texts).not.toContain(secret);
      expect(await placesOf(secret)).toEqual([]);
    }
  });

  it('that is copied from another connection cannot be opened', async () => {
    await start(OLD);
    const [from, to] = [await create(SECRET), await create(OTHER)];
    await app.sql.query(
      'UPDATE connections SET secret = (SELECT secret FROM connections WHERE id = $1) WHERE id = $2',
      [from.id, to.id],
    );
    expect(await test(to)).toMatchObject({ ok: false });
    expect(kind.tested).toEqual([]);
  });

  it('is not in the log if a destination fails', async () => {
    await start(OLD);
    kind.onTest = () =>
      Promise.reject(new DestinationError('unavailable', 'The server does not respond.'));
    const created = await create(SECRET);
    expect(await test(created)).toEqual({ ok: false, error: 'The server does not respond.' });
    expect(await placesOf(SECRET)).toEqual([]);
  });

  it('that cannot be opened fails the test, until it is sent again', async () => {
    await start(OLD);
    const created = await create(SECRET);
    await start(NEW);
    expect(await test(created)).toEqual({
      ok: false,
      error:
        'The secret of the connection cannot be opened. Send it again, or ask the operator of the service.',
    });
    expect(kind.tested).toEqual([]);
    const logged = app.logs.find((line) => line.includes('connection secret not opened'));
    expect(JSON.parse(logged ?? '')).toMatchObject({
      level: 'error',
      connectionId: created.id,
      reason: 'The secret is sealed with the key "old", which is missing.',
    });
    expect(await commands(NEW).status()).toMatchObject({ unopenable: 1 });
    expect(await commands(NEW).seal()).toEqual({ sealed: 0, rewrapped: 0, unopenable: 1 });
    const { owner, route } = created;
    dataOf(await app.api(owner.key).patch(route, { secret: OTHER }), 200);
    expect(await test(created)).toEqual({ ok: true, error: null });
  });

  it('is found by that search if it is stored in clear', async () => {
    await start();
    await create(SECRET);
    expect(await placesOf(SECRET)).toEqual([`database: ${Buffer.from(SECRET).toString('hex')}`]);
  });

  it('that was changed meanwhile is not replaced by the sealed former one', async () => {
    await start();
    const created = await create(SECRET);
    const repository = new ConnectionSecretRepository(app.nest.get(Database));
    const before = await repository.find(created.id);
    if (!before) throw new Error('no secret');
    const { owner, route } = created;
    dataOf(await app.api(owner.key).patch(route, { secret: OTHER }), 200);
    expect(await repository.replace(before, Buffer.from('sealed'))).toBe(false);
    await test(created);
    expect(kind.tested.map(({ secret }) => secret)).toEqual([OTHER]);
  });

  it('reaches the destination before and after it is sealed, and after the key is replaced', async () => {
    await start();
    const created = await create('pässwörd');
    await start(OLD);
    expect(await commands(OLD).status()).toEqual({
      clear: 1,
      keys: [{ id: 'old', state: 'current', secrets: 0 }],
      unopenable: 0,
    });
    await test(created);
    expect(await commands(OLD).seal()).toEqual({ sealed: 1, rewrapped: 0, unopenable: 0 });
    await test(created);
    expect(kind.tested.map(({ secret }) => secret)).toEqual(['pässwörd', 'pässwörd']);
    expect(await placesOf('pässwörd')).toEqual([]);
    expect(await commands(NEW, OLD).seal()).toEqual({ sealed: 0, rewrapped: 1, unopenable: 0 });
    expect(await commands(NEW, OLD).seal()).toEqual({ sealed: 0, rewrapped: 0, unopenable: 0 });
    await start(NEW);
    await test(created);
    expect(kind.tested.map(({ secret }) => secret)).toEqual(['pässwörd']);
  });
});
