import { once } from 'node:events';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import type { TestSettings } from '../../support/test-settings';
import { download, open, read } from './download';
import { copying, largeSheet } from './large-sheet';

const MANY = 40_000;

let app: TestApp;
let owner: Member;
let sheet: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  sheet = await largeSheet(app, owner, MANY);
});

afterAll(() => app.close());

const sibling = (settings: TestSettings): Promise<TestApp> =>
  TestApp.start({ database: app.database, settings });

describe('an export that fails after its first rows', () => {
  it.each(['identity', 'gzip'])('aborts if PostgreSQL fails: %s', async (encoding) => {
    const id = sheet.slice('/datagrids/'.length);
    const key = `amount_${encoding}`;
    dataOf(await owner.api.post(`${sheet}/columns`, { key, type: 'decimal' }), 201);
    // A decimal that is not a number fails the statement, after more rows than one message holds.
    const change = `UPDATE rows SET "values" = jsonb_set("values", $3, '"x"') WHERE datagrid_id = $1 AND id = $2`;
    await app.sql.query(change, [id, MANY - 1, [key]]);
    const either = [{ [key]: { $isNull: true } }, { [key]: { $gte: '0' } }];
    const filter = encodeURIComponent(JSON.stringify({ $or: either }));
    const headers = { 'accept-encoding': encoding };
    const got = await download(app, owner, `${sheet}/rows/export?filter=${filter}`, { headers });
    expect([got.status, got.isWhole, got.trailers]).toEqual([200, false, {}]);
    expect(got.text.length).toBeGreaterThan(0);
    const logged = app.logs.filter((line) => line.includes('"level":"error"'));
    expect(logged.at(-1)).toContain('22P02');
    expect((await owner.api.delete(`${sheet}/columns/${key}`)).status).toBe(204);
  });

  it('aborts if its unread bytes exceed half of MAX_SPOOL_BYTES', async () => {
    const small = await sibling({ MAX_SPOOL_BYTES: '2000000' });
    const response = await open(small, owner, `${sheet}/rows/export`);
    await eventually(async () => (await copying(app)) === 0);
    const got = await read(response);
    expect([got.status, got.isWhole, got.trailers]).toEqual([200, false, {}]);
    await small.close();
  });

  it('aborts after EXPORT_TIMEOUT_SECONDS', async () => {
    // Long enough for the export to begin, even on a busy machine.
    const short = await sibling({ EXPORT_TIMEOUT_SECONDS: '4' });
    const response = await open(short, owner, `${sheet}/rows/export`);
    await once(response, 'readable');
    await eventually(() => short.logs.some((line) => line.includes('exceeded its time limit')));
    expect((await read(response)).isWhole).toBe(false);
    await short.close();
  });

  it('aborts if the service stops', async () => {
    const stopping = await sibling({});
    const response = await open(stopping, owner, `${sheet}/rows/export`);
    await once(response, 'readable');
    await stopping.close();
    expect((await read(response)).isWhole).toBe(false);
    // PostgreSQL ends the copy once its client has disconnected.
    await eventually(async () => (await copying(app)) === 0);
  });
});

describe('an export with a filter', () => {
  it('returns 400 if its query takes too long, while an export of all rows has no such limit', async () => {
    const grid = await newDatagrid(owner.api, [{ key: 'text', type: 'text' }]);
    for (let row = 0; row < 20; row += 1) {
      const values = { text: 'a'.repeat(1_040_000) };
      dataOf(await owner.api.post(`${grid}/rows`, { values }), 201);
    }
    const short = await sibling({ exportQueryTimeoutSeconds: 1 });
    const searches = Array.from({ length: 20 }, (_, n) => ({
      text: { $contains: `b${String(n)}` },
    }));
    const filter = encodeURIComponent(JSON.stringify({ $or: searches }));
    const api = short.api(owner.key);
    const response = await api.get(`${grid}/rows/export?format=csv&filter=${filter}`);
    expectFailure(response, 'query_too_expensive', ['text not_indexed']);
    await eventually(async () => (await copying(app)) === 0);
    const all = await download(short, owner, `${grid}/rows/export`);
    expect([all.status, all.isWhole, all.trailers['export-rows']]).toEqual([200, true, '20']);
    await short.close();
  });
});

describe('a request for an export', () => {
  it('returns the same errors as a request for the list', async () => {
    const otherAccount = await app.newAccount();
    const gone = await largeSheet(app, owner, 1);
    await owner.api.delete(gone);
    for (const [member, path] of [
      [otherAccount, `${sheet}/rows`],
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
      const errorOf = ({ status, body }: typeof listed): unknown => [
        status,
        { ...body.error, requestId: '' },
      ];
      expect(errorOf(exported)).toEqual(errorOf(listed));
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
  ])('returns 400 for %s', async (query, field, code) => {
    const { status, body } = await owner.api.get(`${sheet}/rows/export?${query}`);
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it('returns no body for HEAD and for a matching If-None-Match', async () => {
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
