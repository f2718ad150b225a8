import { CODINGS_HERE } from '../../../src/platform/http/compress';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, NO_ID } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { download } from '../export/download';
import { accepting, fetchCoded } from './coded';
import { largeDatagrid, largeRow, longText, wideDatagrid } from './large';

const [BEST = ''] = CODINGS_HERE;

let app: TestApp;
let owner: Member;
let page: string;
let paths: readonly string[];

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  const datagrid = await largeDatagrid(owner);
  page = `${datagrid}/rows?limit=200`;
  paths = [
    page,
    `${page}&sort=-t`,
    `${page}&cursor=`,
    await largeRow(owner),
    await wideDatagrid(owner),
    '/openapi.json',
  ];
});

afterAll(() => app.close());

describe('a large response', () => {
  it.each(CODINGS_HERE)('decodes from %s to the same bytes', async (coding) => {
    for (const path of paths) {
      const plain = await fetchCoded(app, owner, path, accepting('identity'));
      const coded = await fetchCoded(app, owner, path, accepting(coding));
      expect([path, plain.status, coded.status]).toEqual([path, 200, 200]);
      expect(coded.text).toBe(plain.text);
      expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(coded.headers).toMatchObject({
        'content-encoding': coding,
        'content-length': String(coded.bytes.length),
        'content-type': plain.headers['content-type'],
        'cache-control': 'private, no-cache',
        vary: 'Accept-Encoding',
        etag: plain.headers.etag?.replace(/"$/, `.${coding}"`),
      });
      expect(plain.headers).toMatchObject({
        'content-length': String(plain.bytes.length),
        vary: 'Accept-Encoding',
      });
      expect(plain.headers).not.toHaveProperty('content-encoding');
    }
  });

  it.each([
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['br', 'br'],
    ['br, gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.9, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', BEST],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br;q=0', undefined],
    ['gzip;q=0.001', 'gzip'],
    ['*', BEST],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['gzip, *;q=0', 'gzip'],
    [`${BEST};q=0, *`, CODINGS_HERE[1]],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0, *;q=0.1', BEST],
    // The client accepts no encoding that the service supports.
    ['identity;q=0', undefined],
    ['deflate, compress', undefined],
    ['', undefined],
    [';;q=,gzip;q=x', undefined],
    [`gzip, ${'a,'.repeat(200)}`, undefined],
  ])('responds to Accept-Encoding %j with the encoding %s', async (header, expected) => {
    const got = await fetchCoded(app, owner, page, accepting(header));
    expect([got.status, got.headers['content-encoding']]).toEqual([200, expected]);
    expect(JSON.parse(got.text)).toMatchObject({ meta: { total: 60 } });
  });

  it('has no encoding without Accept-Encoding', async () => {
    const got = await fetchCoded(app, owner, page);
    expect(got.headers).toMatchObject({ vary: 'Accept-Encoding' });
    expect(got.headers).not.toHaveProperty('content-encoding');
  });

  it.each(CODINGS_HERE)('has the same headers for HEAD as for GET: %s', async (coding) => {
    for (const path of paths) {
      const get = await fetchCoded(app, owner, path, accepting(coding));
      const head = await fetchCoded(app, owner, path, accepting(coding), 'HEAD');
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      for (const name of ['etag', 'content-encoding', 'vary', 'content-type', 'cache-control']) {
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      }
      // The length is unknown until the body is compressed.
      expect(head.headers).not.toHaveProperty('content-length');
    }
  });
});

describe('a small response', () => {
  it('has an encoding if it has at least 14,000 bytes', async () => {
    const rows = `${await newDatagrid(owner.api, [{ key: 't', type: 'text' }])}/rows`;
    dataOf(await owner.api.post(rows, { values: { t: '' } }), 201);
    const around = (await fetchCoded(app, owner, `${rows}/1`)).bytes.length;
    for (const [id, bytes, coding] of [
      [2, 13_999, undefined],
      [3, 14_000, 'gzip'],
    ] as const) {
      const values = { t: 'x'.repeat(bytes - around) };
      dataOf(await owner.api.post(rows, { values }), 201);
      const got = await fetchCoded(app, owner, `${rows}/${String(id)}`, accepting('gzip'));
      expect(Buffer.byteLength(got.text)).toBe(bytes);
      expect([got.headers['content-encoding'], got.headers.vary]).toEqual([
        coding,
        'Accept-Encoding',
      ]);
    }
  });

  it.each(CODINGS_HERE)('has the encoding %s if the client accepts no other', async (coding) => {
    const plain = await fetchCoded(app, owner, '/me');
    const got = await fetchCoded(app, owner, '/me', accepting(`identity;q=0, ${coding}`));
    expect(got.headers['content-encoding']).toBe(coding);
    expect(got.text).toBe(plain.text);
  });
});

describe('compression', () => {
  const all = accepting('br, gzip, *;q=0.1, identity;q=0');

  it('does not apply to errors, which have the error format and no ETag', async () => {
    const { api } = owner;
    const failures = [
      [await api.get(`/datagrids/${NO_ID}/rows`, all), 'not_found', []],
      [await api.get('/workspaces?page=0', all), 'invalid_request', ['page out_of_range']],
      [await app.api().get('/me', all), 'unauthenticated', []],
    ] as const;
    for (const [response, code, details] of failures) {
      expectFailure(response, code, details);
      expect(response.headers.get('content-encoding')).toBeNull();
      expect(response.headers.get('etag')).toBeNull();
    }
  });

  it('does not apply to responses to changes', async () => {
    const values = { t: longText(20_000) };
    const datagrid = await newDatagrid(owner.api, [{ key: 't', type: 'text' }]);
    const made = await owner.api.post(`${datagrid}/rows`, { values }, all);
    dataOf(made, 201);
    expect([made.headers.get('content-encoding'), made.headers.get('vary')]).toEqual([null, null]);
    expect(made.headers.get('etag')).toMatch(/^"\d+-\d+"$/);
  });
});

describe('an instance with COMPRESSION=off', () => {
  it('sends pages and exports uncompressed, and accepts the ETags of compressed responses', async () => {
    const off = await TestApp.start({ database: app.database, settings: { COMPRESSION: 'off' } });
    try {
      const compressed = await fetchCoded(app, owner, page, accepting('gzip'));
      const plain = await fetchCoded(off, owner, page, accepting('gzip'));
      expect(plain.headers).not.toHaveProperty('content-encoding');
      expect(plain.text).toBe(compressed.text);
      const file = page.replace('?limit=200', '/export');
      const { headers, isWhole } = await download(off, owner, file, { headers: accepting('gzip') });
      expect([isWhole, headers['content-encoding']]).toEqual([true, undefined]);
      const known = { ...accepting('gzip'), 'if-none-match': String(compressed.headers.etag) };
      expect((await fetchCoded(off, owner, page, known)).status).toBe(304);
    } finally {
      await off.close();
    }
  });
});
