import fc from 'fast-check';
import { adminJson } from '../cli/admin';
import { ServiceProcess } from '../main/service-process';
import { ApiClient } from '../support/api-client';
import type { Environment } from '../support/built-program';
import { OPERATIONS } from '../support/kept-document';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { Living } from './living';
import { anyRequest, type FuzzRequest } from './requests';
import { filledIn, Sender, type SentRequest } from './sender';
import { judge } from './verdict';

/** Given, they make a run be repeated, or be longer. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 10_000);

const LANES = 4;
/** Requests after which there are fresh things to send requests about. */
const FRESH_AFTER = 50;
/** Below that, chance may leave a route out. */
const ENOUGH_FOR_EVERY_ROUTE = 8_000;
const SHOWN = 10;

/** Ends an import that is running, and these here are over at once: the others are 409. */
const NEVER_SUCCEEDS = 'DELETE /api/v1/public/datagrids/{datagridId}/imports/{importId}';

const NO_LIMITS = {
  RATE_LIMIT_REQUESTS: '1000000',
  AUTH_FAILURE_LIMIT: '1000000',
  PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
  MAX_CONCURRENT_EXPORTS: '8',
  MAX_CONCURRENT_IMPORTS: '8',
  // On a machine that is busy with other things, taking long is no fault.
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
    nobody: undefined,
    stranger: `mk_${'0'.repeat(36)}`,
  };
  service = ServiceProcess.start(settings);
  origin = await service.origin();
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await database.drop();
});

interface BufferedCounter {
  good: number;
  bad: number;
}

interface Failure {
  readonly at: number;
  readonly sent: SentRequest;
  readonly problems: readonly string[];
}

it(`answers ${String(REQUESTS)} random requests as the document says, and stays up`, async () => {
  process.stdout.write(`FUZZ_SEED=${String(SEED)} FUZZ_REQUESTS=${String(REQUESTS)}\n`);
  const requests = fc.sample(anyRequest, { seed: SEED, numRuns: REQUESTS });
  const living = new Living(new ApiClient(origin, keys.owner));
  const sender = new Sender(origin, keys);
  const tallies = new Map(OPERATIONS.map(({ name }) => [name, { good: 0, bad: 0 }]));
  const statuses = new Map<number, number>();
  const failures: Failure[] = [];
  let next = 0;

  const lane = async (): Promise<void> => {
    while (next < requests.length && failures.length < SHOWN) {
      const at = next++;
      if (at % FRESH_AFTER === 0) await living.refresh();
      const request = requests[at];
      if (!request) return;
      const sent = filledIn(request, living);
      const problems = await one(
        sent,
        living,
        sender,
        tallies.get(sent.operation?.name ?? ''),
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
  // Nothing that the service itself holds for a fault, and it is still there.
  const levels = service.log().filter(({ level }) => level === 'error' || level === 'fatal');
  expect(levels).toEqual([]);
  expect((await fetch(`${origin}/health/ready`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
  expect(service.stderr()).toBe('');
  if (REQUESTS >= ENOUGH_FOR_EVERY_ROUTE) expect(notReached(tallies)).toEqual([]);
});

async function one(
  sent: SentRequest,
  living: Living,
  sender: Sender,
  tally: BufferedCounter | undefined,
  statuses: Map<number, number>,
): Promise<readonly string[]> {
  try {
    const answer = await sender.send(sent);
    const { status, headers } = answer;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (tally) tally[status < 400 ? 'good' : 'bad'] += 1;
    const { problems, body } = judge(sent, answer);
    if (sent.operation && status < 300) {
      living.learn(sent.operation, sent.target, body, headers.etag ?? null);
    }
    return problems;
  } catch (error) {
    return [String(error)];
  }
}

/** Operations that were never carried out, or never refused: the requests would be too one-sided. */
function notReached(tallies: ReadonlyMap<string, BufferedCounter>): string[] {
  return [...tallies].flatMap(([name, { good, bad }]) =>
    (good > 0 || name === NEVER_SUCCEEDS) && bad > 0 ? [] : [`${name}: ${good} good, ${bad} bad`],
  );
}

function shown({ at, sent, problems }: Failure): string {
  const { method, target, headers, body, caller } = sent;
  return `#${String(at)} ${JSON.stringify({ method, target, headers, caller, body, problems })}`;
}
