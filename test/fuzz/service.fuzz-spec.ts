import fc from 'fast-check';
import { ApiClient } from '../support/api-client';
import { OPERATIONS_AND_ALIASES } from '../support/openapi-file';
import { FuzzService } from './fuzz-service';
import { KnownResources } from './known-resources';
import { anyRequest, requestOf, type FuzzRequest } from './requests';
import { filledIn, Sender, type SentRequest } from './sender';
import { judge } from './verdict';

// The environment variables repeat a run, or change its length.
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 10_000);

const LANES = 4;
/** Number of requests after which new resources are created. */
const REFRESH_EVERY = 50;
/** Number of further requests for an operation of which the random requests saw one outcome only. */
const MAX_FURTHER = 1_000;
const MAX_FAILURES = 10;

/** Cancels a running import. The imports of this test end at once, so it returns 409. */
const NEVER_SUCCEEDS = 'DELETE /api/v1/public/datagrids/{datagridId}/imports/{importId}';

let service: FuzzService;

beforeAll(async () => {
  service = await FuzzService.start();
});

afterAll(() => service.remove());

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
  const known = new KnownResources(new ApiClient(service.origin, service.keys.owner));
  const sender = new Sender(service.origin, service.keys);
  const counters = new Map(OPERATIONS_AND_ALIASES.map(({ name }) => [name, { good: 0, bad: 0 }]));
  const statuses = new Map<number, number>();
  const failures: Failure[] = [];
  let next = 0;

  const send = async (request: FuzzRequest): Promise<void> => {
    const at = next++;
    if (at % REFRESH_EVERY === 0) await known.refresh();
    const sent = filledIn(request, known);
    const counter = counters.get(sent.operation?.name ?? '');
    const problems = await sendOne(sent, known, sender, counter, statuses);
    if (problems.length > 0) failures.push({ at, sent, problems });
  };
  const lane = async (): Promise<void> => {
    for (let request; failures.length < MAX_FAILURES && (request = requests[next]);) {
      await send(request);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: LANES }, lane));
  const sentAtRandom = next;
  for (const operation of OPERATIONS_AND_ALIASES) {
    const further = fc.sample(requestOf(operation), { seed: SEED, numRuns: MAX_FURTHER });
    for (const request of further) {
      if (isReached(operation.name, counters) || failures.length >= MAX_FAILURES) break;
      await send(request);
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  sender.close();

  const counts = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(
    `${String(next)} requests in ${seconds.toFixed(1)} s; ${counts.join(', ')}\n`,
  );
  expect(failures.map(shown).join('\n')).toBe('');
  expect(sentAtRandom).toBe(REQUESTS);
  await service.expectWell();
  const notReached = [...counters].filter(([name]) => !isReached(name, counters));
  expect(notReached).toEqual([]);
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

/** Whether an operation succeeded and failed at least once each. */
function isReached(name: string, counters: ReadonlyMap<string, OutcomeCounter>): boolean {
  const { good, bad } = counters.get(name) ?? { good: 0, bad: 0 };
  return (good > 0 || name === NEVER_SUCCEEDS) && bad > 0;
}

function shown({ at, sent, problems }: Failure): string {
  const { method, target, headers, body, caller } = sent;
  return `#${String(at)} ${JSON.stringify({ method, target, headers, caller, body, problems })}`;
}
