import { API } from '../support/api-client';
import { newDatagrid } from '../support/fixture';
import { printFigures } from './support/figures';
import { closedLoad, openLoad, type Reply } from './support/open-load';
import { PostgresServer } from './support/postgres-server';
import { quantile } from './support/quantile';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';

const ROWS = 10_000;
const PEAK_CLIENTS = 32;
const CONNECTIONS = 600;
/** Number of rounds that must meet the guarantee. */
const GOOD_ROUNDS = 2;
/** Other load of the machine may spoil some rounds. */
const MAX_ROUNDS = 6;
const MIN_SHARE = 0.8;
const REJECTED_WITHIN_MS = 100;
const PEAK_MS = 2_000;
const OVERLOAD_MS = 4_000;

let postgres: PostgresServer;
let replicas: Replicas;
let owner: Owner;
let url: string;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  const unlimited = { RATE_LIMIT_REQUESTS: '1000000', PUBLIC_RATE_LIMIT_REQUESTS: '1000000' };
  replicas = await Replicas.withDefaultLimits(1, { DATABASE_URL: postgres.url, ...unlimited });
  owner = await newOwner(postgres.url);
  const api = replicas.api(0, owner.key);
  const path = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
  for (let n = 0; n < ROWS; n += 200) {
    const rows = Array.from({ length: 200 }, (_, m) => ({ values: { n: (n + m) % 97 } }));
    expect((await api.post(`${path}/rows`, { rows })).status).toBe(201);
  }
  // The sort uses no index, so that the request is expensive.
  url = `${replicas.origins[0] ?? ''}${API}${path}/rows?sort=-n&limit=20`;
});

afterAll(async () => {
  await replicas.kill();
  await postgres.remove();
});

const isServed = ({ status }: Reply): boolean => status === 200;

const timesOf = (wanted: number, replies: readonly Reply[]): number[] =>
  replies.filter(({ status }) => status === wanted).map(({ tookMs }) => tookMs);

/** Returns the responses per second in the middle of a measurement, without its start and end. */
function servedPerSecond(replies: readonly Reply[]): number {
  const served = replies.filter(isServed).map(({ endedAtMs }) => endedAtMs);
  const [from, to] = [quantile(served, 0.1), quantile(served, 0.9)];
  return (served.length * 0.8 * 1000) / (to - from);
}

interface Round {
  readonly peak: number;
  readonly offered: number;
  readonly served: number;
  readonly replies: readonly Reply[];
}

/** The status of rejections: one account exceeds its share, while the instance has room for others. */
const REJECTED = 429;

const rejectedInMs = ({ replies }: Round): number => quantile(timesOf(REJECTED, replies), 0.95);

const isGood = (each: Round): boolean =>
  each.served / each.peak >= MIN_SHARE && rejectedInMs(each) < REJECTED_WITHIN_MS;

/** Measures the peak, with clients that wait for each response, and then offers twice as much load. */
async function round(): Promise<Round> {
  const { key } = owner;
  const most = await closedLoad({ url, key, forMs: PEAK_MS, connections: PEAK_CLIENTS });
  const peak = servedPerSecond(most);
  const offered = 2 * peak;
  const load = { url, key, connections: CONNECTIONS, requestsPerSecond: offered };
  const replies = await openLoad({ ...load, forMs: OVERLOAD_MS });
  return { peak, offered, served: servedPerSecond(replies), replies };
}

it('serves 80 % of the peak at twice the capacity and rejects the rest in under 100 ms', async () => {
  // Warms up the service.
  await closedLoad({ url, key: owner.key, forMs: PEAK_MS, connections: PEAK_CLIENTS });
  const rounds: Round[] = [];
  while (rounds.filter(isGood).length < GOOD_ROUNDS && rounds.length < MAX_ROUNDS) {
    rounds.push(await round());
  }
  const middle = (figure: (each: Round) => number): number => quantile(rounds.map(figure), 0.5);
  const replies = rounds.flatMap((each) => each.replies);
  const [served, rejected] = [timesOf(200, replies), timesOf(REJECTED, replies)];
  printFigures('twice the capacity offered to one instance', {
    'peak a second': middle(({ peak }) => peak),
    'offered a second': middle(({ offered }) => offered),
    'served a second': middle((each) => each.served),
    'of the peak': middle((each) => each.served / each.peak).toFixed(2),
    rounds: rounds.length,
    requests: replies.length,
    rejected: rejected.length,
    lost: replies.length - rejected.length - served.length,
    'rejected in ms, p50': quantile(rejected, 0.5),
    p95: middle(rejectedInMs),
    'served in ms, p50': quantile(served, 0.5),
  });
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, REJECTED]));
  for (const each of rounds) expect(timesOf(REJECTED, each.replies).length).toBeGreaterThan(0);
  const held = rounds.map((each) => ({
    share: each.served / each.peak,
    rejectedInMs: rejectedInMs(each),
    isGood: isGood(each),
  }));
  expect(held.filter((each) => each.isGood).length >= GOOD_ROUNDS || held).toBe(true);
});
