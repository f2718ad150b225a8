import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../../../src/platform/database/database';
import { parseKeyFile } from '../../../src/platform/secrets/key-file';
import { Sealer } from '../../../src/platform/secrets/sealer';
import { SigningSecrets } from '../../../src/webhooks/signing-secrets';
import { WebhookSecretRepository } from '../../../src/webhooks/webhook-secret.repository';
import { WebhookSecretService } from '../../../src/webhooks/webhook-secret.service';
import type { ApiClient, Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { createTestDatabase, type TestDatabase } from '../../support/test-database';
import {
  LOOPBACK_ALLOWED,
  type Received,
  verify,
  WebhookReceiver,
} from '../../support/webhook-receiver';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

const OLD = key('old');
const NEW = key('new');
const NOT_OPENED =
  'The request was not sent, because the secret of the webhook cannot be opened. ' +
  'Rotate the secret, or ask the operator of the service.';

let directory: string;
let database: TestDatabase;
let receiver: WebhookReceiver;
let app: TestApp;
let serial = 0;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'datagrid-keys-'));
  database = await createTestDatabase();
  receiver = await WebhookReceiver.start();
});

afterEach(async () => {
  await app.close();
  await receiver.close();
  await database.drop();
  await rm(directory, { recursive: true });
});

/** Starts the service with the keys of a file, on the database of the test. */
async function start(...keys: string[]): Promise<void> {
  const file = join(directory, `keys-${String((serial += 1))}`);
  await writeFile(file, keys.join('\n'));
  const settings = {
    ...LOOPBACK_ALLOWED,
    // No test waits.
    webhookRetrySeconds: [0.001],
    LOG_LEVEL: 'trace',
    ...(keys.length > 0 && { SECRETS_KEY_FILE: file }),
  };
  app = await TestApp.start({ settings, database });
}

/** Replaces the instance by one with other keys. */
async function restart(...keys: string[]): Promise<void> {
  await app.close();
  await start(...keys);
}

interface Hook {
  readonly id: string;
  readonly secret: string;
  /** Path of the webhook in the API. */
  readonly route: string;
  /** Path of the endpoint. */
  readonly path: string;
  readonly datagrid: string;
  readonly key: string;
}

const apiOf = (hook: Hook): ApiClient => app.api(hook.key);

async function newHook(headers: Record<string, string> = {}): Promise<Hook> {
  const owner = await app.newAccount();
  const workspaceId = await newWorkspace(owner.api);
  const datagrid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }], workspaceId);
  const path = `/hook-${String((serial += 1))}`;
  const route = `/workspaces/${workspaceId}/webhooks`;
  const created = await owner.api.post(route, { url: `${receiver.url}${path}` }, headers);
  const { id, secret } = dataOf(created, 201);
  return { id, secret, route: `${route}/${String(id)}`, path, datagrid, key: owner.key };
}

/** Adds a row, and waits for its delivery. */
async function deliver(hook: Hook): Promise<Received> {
  const before = receiver.at(hook.path).length;
  dataOf(await apiOf(hook).post(`${hook.datagrid}/rows`, { values: { n: 1 } }), 201);
  return eventually(() => receiver.at(hook.path)[before]);
}

async function rotate(hook: Hook): Promise<string> {
  return dataOf(await apiOf(hook).post(`${hook.route}/rotate`), 200).secret;
}

/** Returns the newest attempt that was not sent. */
async function failedAttempt(hook: Hook): Promise<Json> {
  return eventually(async () => {
    const { data } = (await apiOf(hook).get(`${hook.route}/deliveries`)).body;
    return data[0]?.status === null && data[0];
  });
}

const bytesOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

/** Returns what is stored of a webhook's secrets. */
async function storedOf({ id }: Hook): Promise<(Buffer | null)[]> {
  const { rows } = await app.sql.query<{ secret: Buffer; previous: Buffer | null }>(
    'SELECT secret, previous_secret AS previous FROM webhooks WHERE id = $1',
    [id],
  );
  const [row] = rows;
  return row ? [row.secret, row.previous] : [];
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
  const bytes = bytesOf(secret);
  const forms = [
    bytes.toString('hex'),
    bytes.toString('base64'),
    // Part of a response that is stored as bytes.
    Buffer.from(secret).toString('hex'),
  ];
  const [tables, logs] = [await dump(), app.logs.join('\n')];
  return forms.flatMap((form) => [
    ...(tables.includes(form) ? [`database: ${form}`] : []),
    ...(logs.includes(form) ? [`log: ${form}`] : []),
  ]);
}

/** The services of the operator command, with the keys of a file. */
function commands(...keys: string[]): WebhookSecretService {
  const sealer = new Sealer(parseKeyFile(keys.join('\n')));
  const repository = new WebhookSecretRepository(app.nest.get(Database));
  return new WebhookSecretService(repository, new SigningSecrets(sealer), sealer);
}

describe('the secret of a webhook', () => {
  it('is in no table and no log in clear if SECRETS_KEY_FILE is set, and signs deliveries', async () => {
    await start(OLD);
    const hook = await newHook({ 'idempotency-key': 'create-1' });
    const first = await deliver(hook);
    expect(verify(hook.secret, first)).toEqual(first.body);
    const api = apiOf(hook);
    const { secret } = dataOf(
      await api.post(`${hook.route}/rotate`, undefined, { 'idempotency-key': 'rotate-1' }),
      200,
    );
    const second = await deliver(hook);
    expect([verify(secret, second), verify(hook.secret, second)]).toEqual([
      second.body,
      second.body,
    ]);
    expect(dataOf(await api.post(`${hook.route}/test`), 200)).toMatchObject({ status: 204 });
    expect((await dump()).includes(hook.id)).toBe(true);
    expect(await placesOf(hook.secret)).toEqual([]);
    expect(await placesOf(secret)).toEqual([]);
    expect(await placesOf(`whsec_${OLD.slice(4)}`)).toEqual([]);
  });

  it('is found by the search of the test above if it is stored in clear', async () => {
    await start();
    const hook = await newHook();
    expect(await placesOf(hook.secret)).toEqual([
      `database: ${bytesOf(hook.secret).toString('hex')}`,
    ]);
    const received = await deliver(hook);
    expect(verify(hook.secret, received)).toEqual(received.body);
  });

  it('signs before and after it is sealed, a new key is added, and the old key is removed', async () => {
    await start();
    const hook = await newHook();
    const expectSigned = async (...secrets: string[]): Promise<void> => {
      const received = await deliver(hook);
      for (const secret of secrets) expect(verify(secret, received)).toEqual(received.body);
    };
    await expectSigned(hook.secret);
    // The setting alone changes no stored secret.
    await restart(OLD);
    expect(await storedOf(hook)).toEqual([bytesOf(hook.secret), null]);
    await expectSigned(hook.secret);
    // The previous secret is in clear, the current one is sealed.
    const secret = await rotate(hook);
    await expectSigned(secret, hook.secret);
    expect(await commands(OLD).status()).toEqual({
      clear: 1,
      keys: [{ id: 'old', state: 'current', secrets: 1 }],
      unopenable: 0,
    });
    expect(await commands(OLD).seal()).toEqual({ sealed: 1, rewrapped: 0, unopenable: 0 });
    expect(await placesOf(hook.secret)).toEqual([]);
    await expectSigned(secret, hook.secret);

    await restart(NEW, OLD);
    await expectSigned(secret, hook.secret);
    expect(await commands(NEW, OLD).seal()).toEqual({ sealed: 0, rewrapped: 2, unopenable: 0 });
    expect(await commands(NEW, OLD).seal()).toEqual({ sealed: 0, rewrapped: 0, unopenable: 0 });
    await expectSigned(secret, hook.secret);
    expect(await commands(NEW, OLD).status()).toEqual({
      clear: 0,
      keys: [
        { id: 'new', state: 'current', secrets: 2 },
        { id: 'old', state: 'older', secrets: 0 },
      ],
      unopenable: 0,
    });
    await restart(NEW);
    await expectSigned(secret, hook.secret);
  });

  it('that cannot be opened signs nothing, while other webhooks go on', async () => {
    await start(OLD);
    const lost = await newHook();
    await restart(NEW);
    const other = await newHook();
    dataOf(await apiOf(lost).post(`${lost.datagrid}/rows`, { values: { n: 1 } }), 201);
    expect(await failedAttempt(lost)).toMatchObject({ status: null, error: NOT_OPENED });
    expect(dataOf(await apiOf(lost).get(lost.route), 200)).toMatchObject({
      status: 'failing',
      lastError: NOT_OPENED,
    });
    expect(dataOf(await apiOf(lost).post(`${lost.route}/test`), 200)).toMatchObject({
      status: null,
      error: NOT_OPENED,
    });
    const received = await deliver(other);
    expect(verify(other.secret, received)).toEqual(received.body);
    expect(receiver.at(lost.path)).toEqual([]);
    const logged = app.logs.filter((line) => line.includes('webhook secret not opened'));
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      level: 'error',
      webhookId: lost.id,
      reason: 'The secret is sealed with the key "old", which is missing.',
    });
    expect(await commands(NEW).status()).toEqual({
      clear: 0,
      keys: [
        { id: 'new', state: 'current', secrets: 1 },
        { id: 'old', state: 'missing', secrets: 1 },
      ],
      unopenable: 1,
    });
    expect(await commands(NEW).seal()).toEqual({ sealed: 0, rewrapped: 0, unopenable: 1 });
  });

  it('that cannot be opened is replaced by a rotation, after which all changes are delivered', async () => {
    await start(OLD);
    const hook = await newHook();
    await restart(NEW);
    dataOf(await apiOf(hook).post(`${hook.datagrid}/rows`, { values: { n: 1 } }), 201);
    await failedAttempt(hook);
    const secret = await rotate(hook);
    const received = await eventually(() => receiver.at(hook.path)[0]);
    expect(verify(secret, received)).toEqual(received.body);
    expect(received.headers['webhook-signature']).toMatch(/^v1,\S+$/);
    expect((await storedOf(hook))[1]).toBeNull();
  });

  it('signs nothing while the previous secret, which must sign too, cannot be opened', async () => {
    await start(OLD);
    const hook = await newHook();
    await restart(NEW, OLD);
    const second = await rotate(hook);
    await restart(NEW);
    dataOf(await apiOf(hook).post(`${hook.datagrid}/rows`, { values: { n: 1 } }), 201);
    expect(await failedAttempt(hook)).toMatchObject({ error: NOT_OPENED });
    expect(receiver.at(hook.path)).toEqual([]);
    const third = await rotate(hook);
    const received = await eventually(() => receiver.at(hook.path)[0]);
    expect(verify(third, received)).toEqual(received.body);
    expect(verify(second, received)).toEqual(received.body);
  });

  it('signs nothing if it is copied from another webhook', async () => {
    await start(OLD);
    const [from, to] = [await newHook(), await newHook()];
    await app.sql.query(
      'UPDATE webhooks SET secret = (SELECT secret FROM webhooks WHERE id = $1) WHERE id = $2',
      [from.id, to.id],
    );
    dataOf(await apiOf(to).post(`${to.datagrid}/rows`, { values: { n: 1 } }), 201);
    expect(await failedAttempt(to)).toMatchObject({ error: NOT_OPENED });
    expect(receiver.at(to.path)).toEqual([]);
  });
});

describe('sealing the secrets of webhooks', () => {
  it('keeps a secret that was rotated meanwhile', async () => {
    await start();
    const hook = await newHook();
    const service = commands(OLD);
    const repository = new WebhookSecretRepository(app.nest.get(Database));
    const [before] = await repository.list('00000000-0000-0000-0000-000000000000', 1);
    const secret = await rotate(hook);
    if (!before) throw new Error('no webhook');
    expect(await repository.replace(before, before)).toBe(false);
    expect(await service.seal()).toEqual({ sealed: 2, rewrapped: 0, unopenable: 0 });
    await restart(OLD);
    const received = await deliver(hook);
    expect(verify(secret, received)).toEqual(received.body);
    expect(verify(hook.secret, received)).toEqual(received.body);
  });

  it('deletes previous secrets that no longer sign', async () => {
    await start();
    const hook = await newHook();
    await rotate(hook);
    await app.sql.query(
      'UPDATE webhooks SET previous_secret_until = now() - make_interval(secs => 1)',
    );
    expect(await commands(OLD).status()).toMatchObject({ clear: 1 });
    expect(await commands(OLD).seal()).toEqual({ sealed: 1, rewrapped: 0, unopenable: 0 });
    expect(await storedOf(hook)).toEqual([expect.any(Buffer), null]);
    expect(await placesOf(hook.secret)).toEqual([]);
  });
});
