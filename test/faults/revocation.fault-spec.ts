import { adminJson } from '../cli/admin';
import { eventually } from '../support/eventually';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { Loader, type Call, type CallResult } from './support/loader';
import { allLogRedis } from './support/redis-state';
import { newKey, newOwner, newScimToken, type Owner } from './support/owner';
import { ScimClient } from '../support/scim-client';
import { Replicas } from './support/replicas';

const INSTANCES = 3;
const CLIENTS = 6;

let database: TestDatabase;
let redis: RedisServer;
let replicas: Replicas;
let owner: Owner;

const command = (...args: string[]): Promise<unknown> =>
  adminJson({ DATABASE_URL: database.url }, ...args);

async function setUp(): Promise<void> {
  [database, redis] = await Promise.all([createTestDatabase(), RedisServer.start()]);
  replicas = await Replicas.start(INSTANCES, { DATABASE_URL: database.url, REDIS_URL: redis.url });
  owner = await newOwner(database.url);
}

async function tearDown(): Promise<void> {
  await replicas.kill();
  await redis.remove();
  await database.drop();
}

interface Change {
  readonly results: readonly CallResult[];
  /** Time at which the command returned. */
  readonly changedAtMs: number;
}

/** Makes a change while all instances are under load. Ends when every client has received `status`. */
async function changeUnderLoad(
  key: string,
  next: () => Call,
  status: number,
  change: () => Promise<unknown>,
): Promise<Change> {
  const loader = new Loader({ origins: replicas.origins, key, clients: CLIENTS, next });
  await eventually(() => loader.results.length >= 20 * CLIENTS, 60_000);
  expect(loader.count(status)).toBe(0);
  await change();
  const changedAtMs = performance.now();
  await eventually(() => {
    const changed = loader.results.filter((result) => result.status === status);
    return new Set(changed.map(({ client }) => client)).size === CLIENTS;
  }, 60_000);
  return { results: await loader.stop(), changedAtMs };
}

/** Prints the requests accepted after the command returned. There must be none. */
function expectNoneAfter(
  title: string,
  { results, changedAtMs }: Change,
  passed: number,
  rejected: number,
): void {
  const late = results.filter((each) => each.status === passed && each.sentAtMs > changedAtMs);
  const first = results.find(({ status }) => status === rejected);
  printFigures(title, {
    requests: results.length,
    accepted: results.filter(({ status }) => status === passed).length,
    'accepted after the command returned': late.length,
    'first rejected, ms before it returned': changedAtMs - (first?.sentAtMs ?? NaN),
  });
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set([passed, rejected]));
  expect(late).toEqual([]);
}

const me = (): Call => ({ method: 'GET', path: '/me' });

describeWithRedis('three instances under load', () => {
  beforeAll(setUp);
  afterAll(tearDown);

  it.each(['available', 'down'])(
    'reject a revoked key once the command has returned, with Redis %s',
    async (state) => {
      if (state === 'down') {
        await redis.kill();
        await allLogRedis(replicas, 'unavailable');
      }
      const { id, key } = await newKey(database.url, owner.email);
      const change = await changeUnderLoad(key, me, 401, () =>
        command('key', 'revoke', '--id', id),
      );
      // The command returns 550 ms after its commit, so nothing after it is within that second.
      expectNoneAfter(`a key revoked at three instances, Redis ${state}`, change, 200, 401);
    },
  );

  it('return 403 for the keys of a suspended user once the command has returned', async () => {
    const { key } = await newUser('suspended@example.com', 'editor');
    const suspend = (): Promise<unknown> =>
      command('user', 'suspend', '--email', 'suspended@example.com');
    expectNoneAfter('a user suspended', await changeUnderLoad(key, me, 403, suspend), 200, 403);
  });

  it('return 403 once the directory has deleted their user', async () => {
    const { key } = await newUser('removed@example.com', 'editor');
    const token = await newScimToken(database.url, owner.accountId);
    const scim = new ScimClient(replicas.origins[0] ?? '', token);
    const { Resources } = await scim.find('/Users', 'userName eq "removed@example.com"');
    const [{ id }] = Resources as [{ readonly id: string }];
    const remove = async (): Promise<void> => {
      expect((await scim.delete(`/Users/${id}`)).status).toBe(204);
    };
    // The response comes 550 ms after the commit.
    const change = await changeUnderLoad(key, me, 403, remove);
    expectNoneAfter('a user removed by SCIM at one of three instances', change, 200, 403);
  });

  it('apply a lowered role once the command has returned', async () => {
    const { key } = await newUser('lowered@example.com', 'admin');
    let last = 0;
    const write = (): Call => {
      last += 1;
      return { method: 'POST', path: '/workspaces', body: { name: `Number ${String(last)}` } };
    };
    const lower = (): Promise<unknown> =>
      command('user', 'role', '--email', 'lowered@example.com', '--role', 'viewer');
    expectNoneAfter('a role lowered', await changeUnderLoad(key, write, 403, lower), 201, 403);
  });
});

async function newUser(email: string, role: string): Promise<{ key: string }> {
  await command('user', 'create', '--account', owner.accountId, '--email', email, '--role', role);
  return newKey(database.url, email);
}
