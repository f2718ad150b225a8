import type { Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { completed, importNdjson, numbered, reportOf, SlowImport } from './sending';

const N = [{ key: 'n', type: 'integer' }];

let app: TestApp;
let [first, second, third]: Member[] = [];

beforeAll(async () => {
  app = await TestApp.start({
    settings: { IMPORT_BATCH_ROWS: '10', MAX_CONCURRENT_IMPORTS: '2' },
  });
  [first, second, third] = [await app.newAccount(), await app.newAccount(), await app.newAccount()];
});

afterAll(() => app.close());

const gridOf = (member: Member | undefined): Promise<string> => newDatagrid(apiOf(member), N);

function apiOf(member: Member | undefined): Member['api'] {
  if (!member) throw new Error('There is no such member.');
  return member.api;
}

/** Starts an import that holds a slot and waits for its sender. */
async function begin(member: Member | undefined, grid: string, from = app): Promise<SlowImport> {
  if (!member) throw new Error('There is no such member.');
  const sent = SlowImport.start(from, member, grid);
  sent.write('{"n":1}\n');
  await eventually(async () => {
    const { body } = await member.api.get(`${grid}/imports`);
    return (body.data as Json[]).some(({ state }) => state === 'running');
  });
  return sent;
}

describe('the limit on imports', () => {
  it('returns 429 beyond the share of an account, 201 to another account and 503 once all slots are used', async () => {
    const [ownGrid, otherGrid] = [await gridOf(first), await gridOf(second)];
    const slow = await begin(first, ownGrid);
    const rejected = importNdjson(apiOf(first), ownGrid, '{}');
    dataOf(await importNdjson(apiOf(second), otherGrid, '{}'), 201);
    const beyondShare = await rejected;
    expectFailure(beyondShare, 'rate_limited');
    expect(beyondShare.body.error.message).toBe(
      'This account has too many imports running. Retry later.',
    );
    expect(beyondShare.headers.get('retry-after')).toBe('1');
    const otherSlow = await begin(second, otherGrid);
    const beyondAll = await importNdjson(apiOf(third), await gridOf(third), '{}');
    expectFailure(beyondAll, 'unavailable');
    expect(beyondAll.headers.get('retry-after')).toBe('1');
    for (const each of [slow, otherSlow]) {
      each.end();
      expect((await each.response).status).toBe(201);
    }
  });

  it('gives a waiting import the slot of one that ends', async () => {
    const grid = await gridOf(first);
    const slow = await begin(first, grid);
    const waiting = importNdjson(apiOf(first), grid, numbered(2, 3));
    slow.end();
    expect((await slow.response).status).toBe(201);
    await completed(apiOf(first), await waiting);
    expect(dataOf(await apiOf(first).get(grid), 200).rowCount).toBe(3);
  });
});

describe('an import whose client is too slow', () => {
  it('returns 408 with the Location of a report of its committed rows, and releases its slot', async () => {
    const strict = await TestApp.start({
      database: app.database,
      settings: {
        IMPORT_BATCH_ROWS: '10',
        MAX_CONCURRENT_IMPORTS: '2',
        maxStreamStallSeconds: 1,
        MIN_STREAM_BYTES_PER_SECOND: '1000',
      },
    });
    const grid = await gridOf(first);
    const sent = await begin(first, grid, strict);
    sent.write(numbered(2, 25));
    // Sends without long pauses, but below the minimum rate.
    const bytes = setInterval(() => sent.write(' '), 50);
    const { status, headers, body } = await sent.response;
    clearInterval(bytes);
    expect([status, body.error.code]).toEqual([408, 'request_timeout']);
    const response = { headers: new Headers({ location: String(headers.location) }) };
    const report = await reportOf(apiOf(first), response as Parameters<typeof reportOf>[1]);
    expect(report).toMatchObject({ state: 'failed', committedRows: 20, nextLine: 21 });
    expect(report.failure.code).toBe('request_timeout');
    dataOf(await importNdjson(strict.api(first?.key), grid, '{}'), 201);
    await strict.close();
  });
});
