import type { IncomingMessage } from 'node:http';
import { eventually } from '../../support/eventually';
import { TestApp, type Member } from '../../support/test-app';
import { download, open, read } from './download';
import { copying, largeSheet } from './large-sheet';

/** Some 40 MB: far more than the network takes of what nobody reads. */
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

/** An export that PostgreSQL has given to its end, and of which nothing is read. */
async function unread(from: TestApp): Promise<IncomingMessage> {
  const answer = await open(from, owner, path());
  expect(answer.statusCode).toBe(200);
  await eventually(async () => (await copying(app)) === 0);
  return answer;
}

/** How an export ends that its client does not read: the log tells of it, the client sees nothing. */
const broken = (from: TestApp): Promise<string> =>
  eventually(() => from.logs.find((line) => line.includes('"aborted":true')), 20_000);

describe('places of exports', () => {
  it('gives a place back once PostgreSQL has given all, however slowly the export is read', async () => {
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
    for (const answer of waiting) expect((await read(answer)).isWhole).toBe(true);
  });

  it('cuts an export if the unread exports of its account have too much on the disk together', async () => {
    // Half of it, which one account may have, holds one of them and not two.
    const small = await TestApp.start({
      database: app.database,
      settings: { MAX_CONCURRENT_EXPORTS: '2', MAX_SPOOL_BYTES: '120000000' },
    });
    const kept = await unread(small);
    const beyond = await unread(small);
    expect(await broken(small)).toContain('rows/export');
    expect((await read(beyond)).isWhole).toBe(false);
    expect((await read(kept)).isWhole).toBe(true);
    await small.close();
  });
});

it('cuts an export whose client does not read it', async () => {
  const strict = await TestApp.start({
    database: app.database,
    settings: { MAX_STREAM_STALL_SECONDS: '1' },
  });
  const answer = await open(strict, owner, path());
  expect(await broken(strict)).toContain('rows/export');
  expect((await read(answer)).isWhole).toBe(false);
  await strict.close();
});
