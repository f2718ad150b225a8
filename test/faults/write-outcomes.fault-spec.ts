import { connect, type Socket } from 'node:net';
import { API, type ApiClient, type ApiResponse } from '../support/api-client';
import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { sampleSize } from '../support/samples';
import { SEED } from '../support/seeded-random';
import { Loader, type CallResult } from './support/loader';
import { RandomWrites, type RandomWrite } from './support/random-writes';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';

const CLIENTS = 6;
const INSTANCES = 2;
const KILLS = sampleSize({ few: 2, all: 4 });
const WRITES_BETWEEN_KILLS = 60;
const TARGETS = 150;
const LARGE_ROW_CHARACTERS = 200_000;
/** One account may use half of it, which some unread pages fill. */
const MAX_BUFFERED_BYTES = 12_000_000;
const UNREAD = 6;

let database: TestDatabase;
let replicas: Replicas;
let owner: Owner;
let api: ApiClient;
let rows: string;
let unread: Socket[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  replicas = await Replicas.start(INSTANCES, {
    DATABASE_URL: database.url,
    MAX_BUFFERED_BYTES: String(MAX_BUFFERED_BYTES),
    REQUEST_TIMEOUT_SECONDS: '600',
    NODE_OPTIONS: '--max-old-space-size=256',
  });
  owner = await newOwner(database.url);
  api = replicas.api(0, owner.key);
  const columns = ['tag', 'sku', 'note'].map((key) => {
    return { key, type: 'text', unique: key === 'sku' };
  });
  rows = `${await newDatagrid(api, columns)}/rows`;
});

afterAll(async () => {
  stopReading(0);
  await replicas.kill();
  await database.drop();
});

/** Closes earlier connections, and leaves this number of large responses unread. */
function stopReading(count: number): void {
  for (const socket of unread) socket.destroy();
  unread = Array.from({ length: count }, () => {
    const socket = connect(Number(new URL(replicas.origins[0] ?? '').port), '127.0.0.1');
    socket.on('error', () => undefined).pause();
    const head = [`GET ${API}${rows}?limit=20 HTTP/1.1`, 'Host: localhost'];
    socket.write([...head, `Authorization: Bearer ${owner.key}`, '', ''].join('\r\n'));
    return socket;
  });
}

async function createTargets(): Promise<RandomWrites> {
  const numbers = Array.from({ length: TARGETS }, (_, index) => String(index));
  const create = async (values: object[]): Promise<number[]> => {
    const made = await api.post(rows, { rows: values.map((each) => ({ values: each })) });
    return (dataOf(made, 201) as { id: number }[]).map(({ id }) => id);
  };
  const note = 'x'.repeat(LARGE_ROW_CHARACTERS);
  const [largeRowId = 0] = await create(Array.from({ length: 10 }, () => ({ note })));
  const changedIds = await create(numbers.map((n) => ({ tag: `target ${n}` })));
  const deletedTags = numbers.map((n) => `deleted ${n}`);
  await create(deletedTags.map((tag) => ({ tag, sku: tag })));
  return new RandomWrites(SEED, rows, { largeRowId, changedIds, deletedTags });
}

/** Returns the number of rows with each tag. */
async function countTags(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = `limit=200&fields=tag&cursor=${encodeURIComponent(cursor)}`;
    const { body }: ApiResponse = await api.get(`${rows}?${query}`);
    for (const { values } of body.data as { values: { tag?: string } }[]) {
      if (values.tag !== undefined) counts.set(values.tag, (counts.get(values.tag) ?? 0) + 1);
    }
    cursor = body.meta.nextCursor as string | null;
  }
  return counts;
}

/** Returns true if a write was applied; undefined if it was applied in part or more than once. */
function isMade(
  { tags, isDeletion }: RandomWrite,
  counts: Map<string, number>,
): boolean | undefined {
  const found = new Set(tags.map((tag) => counts.get(tag) ?? 0));
  const [count = 0] = found;
  if (found.size > 1 || count > 1) return undefined;
  return isDeletion ? count === 0 : count === 1;
}

interface Sent {
  readonly write: RandomWrite;
  readonly status: number;
  readonly text: string;
}

/** Sends writes from some clients while one instance after the other is killed. */
async function sendWhileKilling(writes: RandomWrites): Promise<Sent[]> {
  const pending = new Map<CallResult['call'], RandomWrite>();
  const loader = new Loader({
    origins: replicas.origins,
    key: owner.key,
    clients: CLIENTS,
    next: () => {
      const write = writes.next();
      pending.set(write.call, write);
      return write.call;
    },
  });
  for (let kill = 0; kill <= KILLS; kill += 1) {
    // Without unread responses, with some, and with as many as fit into the buffer.
    stopReading((kill % 3) * (UNREAD / 2));
    const responded = (): number => loader.results.length - loader.count(0);
    const before = responded();
    await eventually(() => responded() >= before + WRITES_BETWEEN_KILLS, 60_000);
    if (kill === KILLS) break;
    await replicas.get(kill % INSTANCES).stop('SIGKILL');
    await replicas.restart(kill % INSTANCES);
  }
  const results = await loader.stop();
  stopReading(0);
  return results.flatMap(({ call, status, text }) => {
    const write = pending.get(call);
    return write ? [{ write, status, text }] : [];
  });
}

/** Retries a write until the response is neither "in use" nor "retry later". */
async function sendAgain({ call }: RandomWrite): Promise<ApiResponse> {
  return eventually(async () => {
    const response = await api.send(call.method, call.path, call.body, { ...call.headers });
    return response.status === 429 || response.body?.error?.code === 'idempotency_key_in_use'
      ? undefined
      : response;
  }, 30_000);
}

it('applies every acknowledged write and no rejected one, and replays interrupted writes by their key', async () => {
  const sent = await sendWhileKilling(await createTargets());
  const counts = await countTags();
  const outcomes = sent.map((each) => ({ ...each, isMade: isMade(each.write, counts) }));
  const withStatus = (isIt: (status: number) => boolean): typeof outcomes =>
    outcomes.filter(({ status }) => isIt(status));
  const acknowledged = withStatus((status) => status >= 200 && status < 300);
  const rejected = withStatus((status) => status >= 400);
  const cutOff = withStatus((status) => status === 0);
  printFigures('random writes, unread responses and kill -9', {
    seed: SEED,
    writes: sent.length,
    acknowledged: acknowledged.length,
    'rejected with 413': withStatus((status) => status === 413).length,
    'rejected with 429': withStatus((status) => status === 429).length,
    'rejected with 5xx': withStatus((status) => status >= 500).length,
    'cut off': cutOff.length,
    'of these made': cutOff.filter((each) => each.isMade === true).length,
  });
  const wrong = [
    ...acknowledged.filter((each) => each.isMade !== true),
    ...rejected.filter((each) => each.isMade !== false),
    ...cutOff.filter((each) => each.isMade === undefined),
  ].map(({ write, status, isMade: made, text }) => {
    const { method, path } = write.call;
    return { seed: SEED, call: `${method} ${path}`, tags: write.tags, status, made, text };
  });
  expect(wrong).toEqual([]);
  // Without these outcomes, the test would prove nothing.
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(cutOff.length).toBeGreaterThan(0);
  expect(new Set(rejected.map(({ status }) => status))).toContain(413);

  const open = [...cutOff, ...rejected.filter(({ status }) => status >= 500)].filter(
    ({ write }) => write.idempotencyKey !== undefined,
  );
  for (const { write, isMade: made } of open) {
    const response = await sendAgain(write);
    const isReplayed = response.headers.get('idempotent-replayed') === 'true';
    // A write that was not applied may be too large.
    if (response.status === 413 && made === false) continue;
    const seen = { tags: write.tags, status: response.status < 300, isReplayed };
    expect(seen).toEqual({ tags: write.tags, status: true, isReplayed: made });
  }
  const after = await countTags();
  expect(open.filter(({ write }) => isMade(write, after) === undefined)).toEqual([]);
});
