import { once } from 'node:events';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { download, open, read } from './download';
import { copying, largeSheet } from './large-sheet';

const MANY = 40_000;

let app: TestApp;
let owner: Member;
let sheet: string;

beforeAll(async () => {
  app = await TestApp.start();
  owner = await app.newAccount();
  sheet = await largeSheet(app, owner, MANY);
});

afterAll(() => app.close());

const sibling = (settings: Record<string, string>): Promise<TestApp> =>
  TestApp.start({ database: app.database, settings });

describe('an export that fails half-way is cut, and not to be taken for the whole', () => {
  it.each(['identity', 'gzip'])('where PostgreSQL fails, %s', async (encoding) => {
    const id = sheet.slice('/datagrids/'.length);
    const change = `UPDATE rows SET "values" = jsonb_set("values", '{n}', $3) WHERE datagrid_id = $1 AND id = $2`;
    await app.sql.query(change, [id, MANY - 1, '"x"']);
    // Not as many as fit into one message: the first are sent by then.
    const filter = encodeURIComponent('{"n":{"$gte":0}}');
    const headers = { 'accept-encoding': encoding };
    const got = await download(app, owner, `${sheet}/rows/export?filter=${filter}`, { headers });
    expect([got.status, got.isWhole, got.trailers]).toEqual([200, false, {}]);
    expect(got.text.length).toBeGreaterThan(0);
    const logged = app.logs.filter((line) => line.includes('"level":"error"'));
    expect(logged.at(-1)).toContain('22P02');
    await app.sql.query(change, [id, MANY - 1, String(MANY - 1)]);
  });

  it('where more waits for its reader than may be kept on the disk', async () => {
    const small = await sibling({ MAX_EXPORT_SPOOL_BYTES: '1000000' });
    const answer = await open(small, owner, `${sheet}/rows/export`);
    await eventually(async () => (await copying(app)) === 0);
    const got = await read(answer);
    expect([got.status, got.isWhole, got.trailers]).toEqual([200, false, {}]);
    await small.close();
  });

  it('where its time is over', async () => {
    // Long enough for it to begin, on a busy machine too.
    const short = await sibling({ EXPORT_TIMEOUT_SECONDS: '4' });
    const answer = await open(short, owner, `${sheet}/rows/export`);
    await once(answer, 'readable');
    await eventually(() => short.logs.some((line) => line.includes('exceeded its time limit')));
    expect((await read(answer)).isWhole).toBe(false);
    await short.close();
  });

  it('where the service stops', async () => {
    const stopping = await sibling({});
    const answer = await open(stopping, owner, `${sheet}/rows/export`);
    await once(answer, 'readable');
    await stopping.close();
    expect((await read(answer)).isWhole).toBe(false);
    // PostgreSQL notices by itself that nobody listens.
    await eventually(async () => (await copying(app)) === 0);
  });
});

describe('an export with a filter', () => {
  it('returns 400 if PostgreSQL works at it for too long and finds nothing, and all rows have no such limit', async () => {
    const grid = await newDatagrid(owner.api, [{ key: 'text', type: 'text' }]);
    for (let row = 0; row < 20; row += 1) {
      const values = { text: 'a'.repeat(1_040_000) };
      dataOf(await owner.api.post(`${grid}/rows`, { values }), 201);
    }
    const short = await sibling({ EXPORT_QUERY_TIMEOUT_SECONDS: '1' });
    const searches = Array.from({ length: 20 }, (_, n) => ({
      text: { $contains: `b${String(n)}` },
    }));
    const filter = encodeURIComponent(JSON.stringify({ $or: searches }));
    const api = short.api(owner.key);
    const answer = await api.get(`${grid}/rows/export?format=csv&filter=${filter}`);
    expectFailure(answer, 'query_too_expensive', ['text not_indexed']);
    await eventually(async () => (await copying(app)) === 0);
    const all = await download(short, owner, `${grid}/rows/export`);
    expect([all.status, all.isWhole, all.trailers['export-rows']]).toEqual([200, true, '20']);
    await short.close();
  });
});

describe('before the first row', () => {
  it('what is wrong is told as on the list', async () => {
    const stranger = await app.newAccount();
    const gone = await largeSheet(app, owner, 1);
    await owner.api.delete(gone);
    for (const [member, path] of [
      [stranger, `${sheet}/rows`],
      [owner, `${gone}/rows`],
      [owner, `${sheet}/rows?sort=unknown`],
      [owner, `${sheet}/rows?fields=unknown`],
      [owner, `${sheet}/rows?filter=${encodeURIComponent('{"n":"x"}')}`],
      [owner, `${sheet}/rows?filter=${encodeURIComponent('{"t":"\\u0000"}')}`],
      [owner, `${sheet}/rows?q=${encodeURIComponent('\0')}`],
    ] as const) {
      const [listed, exported] = await Promise.all([
        member.api.get(path),
        member.api.get(path.replace('/rows', '/rows/export')),
      ]);
      const told = ({ status, body }: typeof listed): unknown => [
        status,
        { ...body.error, requestId: '' },
      ];
      expect(told(exported)).toEqual(told(listed));
      expect(exported.status).toBeGreaterThanOrEqual(400);
    }
  });

  it.each([
    ['format=xml', 'format', 'not_a_choice'],
    ['format=csv&format=csv', 'format', 'duplicate_parameter'],
    ['shape=all', 'shape', 'not_a_choice'],
    ['format=csv&shape=row', 'shape', 'incompatible_parameters'],
    ['page=1', 'page', 'unknown_parameter'],
    ['cursor=', 'cursor', 'unknown_parameter'],
  ])('%s is 400', async (query, field, code) => {
    const { status, body } = await owner.api.get(`${sheet}/rows/export?${query}`);
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it('HEAD and what the client has already are answered without a body', async () => {
    const path = `${sheet}/rows/export?format=csv`;
    const head = await download(app, owner, path, { method: 'HEAD' });
    expect([head.status, head.text, head.isWhole]).toEqual([200, '', true]);
    const zipped = { 'accept-encoding': 'gzip', 'if-none-match': String(head.headers.etag) };
    const known = await download(app, owner, path, { headers: zipped });
    expect([known.status, known.text, known.headers.etag]).toEqual([
      304,
      '',
      `W/${String(head.headers.etag)}`,
    ]);
    const onlyZipped = { ...zipped, 'accept-encoding': 'gzip, identity;q=0' };
    expect((await download(app, owner, path, { headers: onlyZipped })).status).toBe(304);
    await owner.api.post(`${sheet}/rows`, { values: {} });
    const moved = await download(app, owner, path, { headers: zipped });
    expect([moved.status, moved.isWhole]).toEqual([200, true]);
  });
});
