import type { IncomingMessage } from 'node:http';
import { eventually } from '../../support/eventually';
import { TestApp, type Member } from '../../support/test-app';
import { download, open, read } from './download';
import { copying, largeSheet } from './large-sheet';

/** Number of rows: about 40 MB, far more than the socket buffers hold. */
const MANY = 40_000;

let app: TestApp;
let owner: Member;
let other: Member;
let sheet: string;
let otherSheet: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: { MAX_CONCURRENT_EXPORTS: '1' } });
  owner = await app.newAccount();
  other = await app.newAccount();
  sheet = await largeSheet(app, owner, MANY);
  otherSheet = await largeSheet(app, other, MANY);
});

afterAll(() => app.close());

const path = (): string => `${sheet}/rows/export`;

/** Starts an export, reads nothing of it and waits until PostgreSQL has sent all rows. */
async function unread(from: TestApp): Promise<IncomingMessage> {
  const response = await open(from, owner, path());
  expect(response.statusCode).toBe(200);
  await eventually(async () => (await copying(app)) === 0);
  return response;
}

/** Waits for the log line of an aborted export. Its client notices nothing until it reads. */
const abortedLine = (from: TestApp): Promise<string> =>
  eventually(() => from.logs.find((line) => line.includes('"aborted":true')), 20_000);

describe('the limit on exports', () => {
  it('releases a slot once PostgreSQL has sent all rows, however slowly the client reads', async () => {
    const waiting = await unread(app);
    const got = await download(app, owner, `${path()}?fields=n`);
    expect([got.status, got.isWhole]).toEqual([200, true]);
    expect((await read(waiting)).isWhole).toBe(true);
  });

  it('returns 429 for an account with too many unread exports, while another account exports', async () => {
    const waiting = [await unread(app), await unread(app)];
    const rejected = await download(app, owner, path());
    expect(rejected.status).toBe(429);
    expect(rejected.headers['retry-after']).toBe('1');
    expect(rejected.text).toContain(
      'This account has too many exports waiting to be read. Retry later.',
    );
    const got = await download(app, other, `${otherSheet}/rows/export?fields=n`);
    expect([got.status, got.isWhole]).toEqual([200, true]);
    for (const response of waiting) expect((await read(response)).isWhole).toBe(true);
  });

  it('aborts an export if the unread exports of its account use too much disk space together', async () => {
    // One account may use half of it, which is enough for one export but not for two.
    const small = await TestApp.start({
      database: app.database,
      settings: { MAX_CONCURRENT_EXPORTS: '2', MAX_SPOOL_BYTES: '120000000' },
    });
    const within = await unread(small);
    const beyond = await unread(small);
    expect(await abortedLine(small)).toContain('rows/export');
    expect((await read(beyond)).isWhole).toBe(false);
    expect((await read(within)).isWhole).toBe(true);
    await small.close();
  });
});

it('aborts an export whose client does not read it', async () => {
  const strict = await TestApp.start({
    database: app.database,
    settings: { maxStreamStallSeconds: 1 },
  });
  const response = await open(strict, owner, path());
  expect(await abortedLine(strict)).toContain('rows/export');
  expect((await read(response)).isWhole).toBe(false);
  await strict.close();
});
