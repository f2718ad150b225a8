import fc from 'fast-check';
import { PUBLIC_API } from '../../src/platform/http/access';
import { allRoutes } from '../architecture/unconnected-app';
import { ApiClient } from '../support/api-client';
import { newDatagrid } from '../support/fixture';
import { SEED } from '../support/seeded-random';
import { FuzzService } from './fuzz-service';
import { KnownResources } from './known-resources';
import { anyManner, bytesOf, isClosed, type Manner } from './odd-requests';
import { anyRequest, streamRequest } from './requests';
import { filledIn, type SentRequest } from './sender';
import { exchange, statusesOf } from './wire-client';

/** All are 100,000: `npm run test:fuzz:all`. */
const REQUESTS = Number(process.env['ODD_REQUESTS'] ?? 4_000);

const LANES = 8;
/** Requests are generated in blocks, of which each begins with new resources. */
const BLOCK = 100;
const MAX_FAILURES = 10;
const PROGRESS_EVERY = 5_000;

let service: FuzzService;
let others: fc.Arbitrary<SentRequest>;

beforeAll(async () => {
  service = await FuzzService.start();
  others = await otherRequests();
}, 120_000);

afterAll(() => service.remove());

/** Requests for the routes that the API description does not have: the console, its API, probes and MCP. */
async function otherRequests(): Promise<fc.Arbitrary<SentRequest>> {
  const routes = (await allRoutes()).filter(({ path }) => !path.startsWith(`/${PUBLIC_API}`));
  expect(routes.length).toBeGreaterThan(40);
  const target = routes.map(({ method, path }) => ({
    method: method === 'ALL' ? 'GET' : method,
    target: path
      .replaceAll(/:\w+/g, '019aa2f4-0000-7000-8000-000000000000')
      .replaceAll(/\{\/?\*\w+\}/g, 'x'),
  }));
  const bodies = [
    undefined,
    '{}',
    '{',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}',
  ];
  const both = 'application/json, text/event-stream';
  return fc
    .record({ place: fc.constantFrom(...target), body: fc.constantFrom(...bodies) })
    .map(({ place, body }) => ({
      ...place,
      operation: undefined,
      caller: 'owner',
      body,
      headers: body === undefined ? {} : { 'content-type': 'application/json', accept: both },
    }));
}

interface Failure {
  readonly at: number;
  readonly manner: Manner;
  readonly request: string;
  readonly problem: string;
}

/** Counts of statuses, and of connections without a response. */
type Counts = Map<number | 'none', number>;

it(`the service survives ${String(REQUESTS)} odd requests, and none returns 500`, async () => {
  process.stdout.write(`FUZZ_SEED=${String(SEED)} ODD_REQUESTS=${String(REQUESTS)}\n`);
  const api = new ApiClient(service.origin, service.keys.owner);
  const known = new KnownResources(api);
  const counts: Counts = new Map();
  const failures: Failure[] = [];
  const startedAt = performance.now();
  for (let start = 0; start < REQUESTS && failures.length < MAX_FAILURES; start += BLOCK) {
    await known.refresh();
    const block = blockOf(start, Math.min(BLOCK, REQUESTS - start), known);
    let next = 0;
    const lane = async (): Promise<void> => {
      for (;;) {
        const at = next++;
        const one = block[at];
        if (!one || failures.length >= MAX_FAILURES) return;
        const problem = await sendOddly(one.requests, one.manner, counts);
        const [request = { target: '' }] = one.requests;
        if (problem !== undefined) {
          const { manner } = one;
          failures.push({ at: start + at, manner, request: JSON.stringify(request), problem });
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if ((start + BLOCK) % PROGRESS_EVERY === 0) process.stdout.write(`${String(start + BLOCK)}\n`);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const sorted = [...counts].sort(([a], [b]) => String(a).localeCompare(String(b)));
  process.stdout.write(
    `${seconds} s; ${sorted.map(([status, count]) => `${String(status)}: ${String(count)}`).join(', ')}\n`,
  );
  expect(failures).toEqual([]);
  await expectFreePlaces(api);
  await service.expectWell();
}, 7_200_000);

interface Block {
  readonly requests: readonly SentRequest[];
  readonly manner: Manner;
}

function blockOf(start: number, count: number, known: KnownResources): Block[] {
  const options = { seed: SEED + start, numRuns: count };
  const api = fc.oneof(
    { weight: 3, arbitrary: anyRequest },
    { weight: 1, arbitrary: streamRequest },
  );
  const filled = api.map((request) => filledIn(request, known));
  const anyOther = fc.oneof({ weight: 4, arbitrary: filled }, { weight: 1, arbitrary: others });
  const requests = fc.array(anyOther, { minLength: 5, maxLength: 5 });
  return fc.sample(fc.record({ requests, manner: anyManner }), options).map((one) => ({
    manner: one.manner,
    requests: one.requests.slice(0, 1 + one.manner.pipelined).map(harmless),
  }));
}

/**
 * A request that waits for changes would hold its lane up, and one that deletes the datagrid or the
 * workspace would make the others of its block 404.
 */
const harmless = (request: SentRequest): SentRequest => ({
  ...request,
  target: request.target.replace(/\bwait=\d+/, 'wait=0'),
  ...(request.method === 'DELETE' && WHOLE.test(request.target) && { method: 'GET' }),
});

const WHOLE = /\/(workspaces|datagrids)\/[^/]+$/;

/** Sends requests on one connection, and returns what is wrong with the answer. */
async function sendOddly(
  requests: readonly SentRequest[],
  manner: Manner,
  counts: Counts,
): Promise<string | undefined> {
  const all = requests.map((request, at) => {
    const isLast = at === requests.length - 1;
    // Those before the last one leave the connection open.
    const own: Manner = isLast
      ? manner
      : { ...manner, version: 'HTTP/1.1', connection: undefined, framing: 'length', headers: [] };
    return bytesOf(request, own, service.keys[request.caller]);
  });
  const bytes = Buffer.concat(all);
  const { end } = manner;
  const isEndless = manner.headers.some((header) => header.includes('event-stream'));
  const canWait = isClosed(manner) && manner.framing !== 'incomplete' && !isEndless;
  const halfCloses = end === 'halfClose' || (end === 'wait' && !canWait);
  const port = Number(new URL(service.origin).port);
  try {
    const answer = await exchange(port, {
      bytes,
      parts: manner.parts,
      leavesAfterSent: leavesAt(manner, bytes.length),
      leavesAfterReceived: end === 'leaveInResponse' ? 1 + manner.at * 5_000 : undefined,
      halfCloses: halfCloses || end === 'leaveInResponse',
      resets: manner.resets,
    });
    const statuses = statusesOf(
      answer,
      requests.map(({ method }) => method),
    );
    for (const status of statuses.length > 0 ? statuses : (['none'] as const)) {
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    const wrong = statuses.filter((status) => status >= 500 && status !== 503);
    if (wrong.length > 0) return `status ${wrong.join(', ')}: ${answer.toString('latin1')}`;
    return end === 'wait' && canWait && statuses.length === 0 ? 'no response' : undefined;
  } catch (error) {
    return String(error);
  }
}

function leavesAt({ end, at }: Manner, length: number): number | undefined {
  if (end === 'leaveAtByte') return Math.floor(at * length);
  return end === 'leaveAfterRequest' ? length : undefined;
}

/** Expects that no request has kept a place that others need: an export, a stream or an import. */
async function expectFreePlaces(api: ApiClient): Promise<void> {
  const path = await newDatagrid(api, [{ key: 'text', type: 'text' }]);
  const lines = { accept: 'application/x-ndjson' };
  const csv = { 'content-type': 'text/csv' };
  const responses = await Promise.all(
    Array.from({ length: 4 }, () => [
      api.get(`${path}/rows/export`),
      api.get(`${path}/changes`, lines),
      api.post(`${path}/rows/import`, 'text\nx\n', csv),
    ]).flat(),
  );
  expect(responses.map(({ status }) => status)).toEqual(
    Array.from({ length: 4 }, () => [200, 200, 201]).flat(),
  );
}
