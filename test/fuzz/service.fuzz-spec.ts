import fc from 'fast-check';
import { adminJson } from '../cli/admin';
import { ServiceProcess } from '../main/service-process';
import { ApiClient } from '../support/api-client';
import type { Environment } from '../support/built-program';
import { OPERATIONS_AND_ALIASES } from '../support/openapi-file';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { KnownResources } from './known-resources';
import { anyRequest, type FuzzRequest } from './requests';
import { filledIn, Sender, type SentRequest } from './sender';
import { judge } from './verdict';

// The environment variables repeat a run, or change its length.
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 10_000);

const LANES = 4;
/** Number of requests after which new resources are created. */
const REFRESH_EVERY = 50;
/** Minimum number of requests with which every route is reached. */
const ENOUGH_FOR_EVERY_ROUTE = 8_000;
const MAX_FAILURES = 10;

/** Cancels a running import. The imports of this test end at once, so it returns 409. */
const NEVER_SUCCEEDS = 'DELETE /api/v1/public/datagrids/{datagridId}/imports/{importId}';

const NO_LIMITS = {
  RATE_LIMIT_REQUESTS: '1000000',
  AUTH_FAILURE_LIMIT: '1000000',
  PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
  WEBHOOK_TEST_LIMIT: '1000000',
  MAX_WEBHOOKS_PER_ACCOUNT: '1000000',
  MAX_WEBHOOK_DATAGRIDS_PER_ACCOUNT: '1000000',
  CONNECTION_TEST_LIMIT: '1000000',
  SCHEDULED_IMPORT_REQUEST_LIMIT: '1000000',
  MAX_CONNECTIONS_PER_ACCOUNT: '1000000',
  MAX_CONNECTION_TABLES_PER_ACCOUNT: '1000000',
  MAX_SCHEDULED_IMPORTS_PER_ACCOUNT: '1000000',
  MAX_CONCURRENT_EXPORTS: '8',
  MAX_CONCURRENT_IMPORTS: '8',
  // A busy machine may be slow.
  LOCK_TIMEOUT_MS: '60000',
  DATABASE_ACQUIRE_TIMEOUT_MS: '60000',
  STATEMENT_TIMEOUT_MS: '60000',
  IDLE_TRANSACTION_TIMEOUT_MS: '60000',
  MAX_CONCURRENT_REQUESTS: '10000',
  MAX_EVENT_LOOP_DELAY_MS: '60000',
  LOG_LEVEL: 'info',
};

let database: TestDatabase;
let service: ServiceProcess;
let origin: string;
let keys: Record<FuzzRequest['caller'], string | undefined>;

async function newKey(settings: Environment, email: string): Promise<string> {
  return String((await adminJson(settings, 'key', 'create', '--email', email)).key);
}

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = { DATABASE_URL: database.url, ...NO_LIMITS };
  const owner = 'owner@example.com';
  const named = ['--name', 'Fuzz', '--owner-email', owner];
  const { accountId } = await adminJson(settings, 'account', 'create', ...named);
  const viewer = ['--email', 'viewer@example.com', '--role', 'viewer'];
  await adminJson(settings, 'user', 'create', '--account', String(accountId), ...viewer);
  keys = {
    owner: await newKey(settings, owner),
    viewer: await newKey(settings, 'viewer@example.com'),
    noKey: undefined,
    unknownKey: `mk_${'0'.repeat(36)}`,
  };
  service = ServiceProcess.start(settings);
  origin = await service.origin();
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await database.drop();
});

interface OutcomeCounter {
  good: number;
  bad: number;
}

interface Failure {
  readonly at: number;
  readonly sent: SentRequest;
  readonly problems: readonly string[];
}

it(`the service responds to ${String(REQUESTS)} random requests as documented, and stays up`, async () => {
  process.stdout.write(`FUZZ_SEED=${String(SEED)} FUZZ_REQUESTS=${String(REQUESTS)}\n`);
  const requests = fc.sample(anyRequest, { seed: SEED, numRuns: REQUESTS });
  const known = new KnownResources(new ApiClient(origin, keys.owner));
  const sender = new Sender(origin, keys);
  const counters = new Map(OPERATIONS_AND_ALIASES.map(({ name }) => [name, { good: 0, bad: 0 }]));
  const statuses = new Map<number, number>();
  const failures: Failure[] = [];
  let next = 0;

  const lane = async (): Promise<void> => {
    while (next < requests.length && failures.length < MAX_FAILURES) {
      const at = next++;
      if (at % REFRESH_EVERY === 0) await known.refresh();
      const request = requests[at];
      if (!request) return;
      const sent = filledIn(request, known);
      const problems = await sendOne(
        sent,
        known,
        sender,
        counters.get(sent.operation?.name ?? ''),
        statuses,
      );
      if (problems.length > 0) failures.push({ at, sent, problems });
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: LANES }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  sender.close();

  const counts = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(
    `${String(next)} requests in ${seconds.toFixed(1)} s; ${counts.join(', ')}\n`,
  );
  expect(failures.map(shown).join('\n')).toBe('');
  expect(next).toBe(REQUESTS);
  // The service has logged no error, and is still running.
  const levels = service.log().filter(({ level }) => level === 'error' || level === 'fatal');
  expect(levels).toEqual([]);
  expect((await fetch(`${origin}/health/ready`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(service.stderr()).toBe('');
  if (REQUESTS >= ENOUGH_FOR_EVERY_ROUTE) expect(notReached(counters)).toEqual([]);
});

async function sendOne(
  sent: SentRequest,
  known: KnownResources,
  sender: Sender,
  counter: OutcomeCounter | undefined,
  statuses: Map<number, number>,
): Promise<readonly string[]> {
  try {
    const response = await sender.send(sent);
    const { status, headers } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (counter) counter[status < 400 ? 'good' : 'bad'] += 1;
    const { problems, body } = judge(sent, response);
    if (sent.operation && status < 300) {
      known.learn(sent.operation, sent.target, body, headers.etag ?? null);
    }
    return problems;
  } catch (error) {
    return [String(error)];
  }
}

/** Returns the operations that never succeeded or never failed: the requests vary too little. */
function notReached(counters: ReadonlyMap<string, OutcomeCounter>): string[] {
  return [...counters].flatMap(([name, { good, bad }]) =>
    (good > 0 || name === NEVER_SUCCEEDS) && bad > 0 ? [] : [`${name}: ${good} good, ${bad} bad`],
  );
}

function shown({ at, sent, problems }: Failure): string {
  const { method, target, headers, body, caller } = sent;
  return `#${String(at)} ${JSON.stringify({ method, target, headers, caller, body, problems })}`;
}
