import { once } from 'node:events';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { exchange } from '../../support/raw-http';
import { TestApp, type Member } from '../../support/test-app';
import { download, open, read } from './download';
import { copying, largeSheet } from './large-sheet';

/** About 16 MB, which is more than the buffers of a socket hold. */
const MANY = 16_000;

let app: TestApp;
let owner: Member;
let sheet: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  sheet = await largeSheet(app, owner, MANY);
});

afterAll(() => app.close());

const numbers = (text: string): number[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { n: number }).n);
const all = Array.from({ length: MANY }, (_, index) => index + 1);

describe('a long export', () => {
  it('returns all rows in order and reports completion in its trailers', async () => {
    for (const headers of [{}, { 'accept-encoding': 'br, gzip' }]) {
      const got = await download(app, owner, `${sheet}/rows/export?fields=n`, { headers });
      expect(got.headers['content-encoding']).toBe(
        'accept-encoding' in headers ? 'gzip' : undefined,
      );
      expect(got.headers.trailer).toBe('Export-Status, Export-Rows');
      expect(got.trailers).toEqual({ 'export-status': 'complete', 'export-rows': String(MANY) });
      expect(numbers(got.text)).toEqual(all);
    }
  });

  it.each(['', 'deflate;q=0.5', 'trailers-2'])(
    'has no trailers for a client that did not ask for them: TE: %s',
    async (te) => {
      const got = await download(app, owner, `${sheet}/rows/export?fields=n`, { headers: { te } });
      expect([got.isWhole, got.headers.trailer, got.trailers]).toEqual([true, undefined, {}]);
      expect(numbers(got.text)).toEqual(all);
    },
  );

  // Parsers of HTTP/1.1 read these versions, too.
  it.each(['0.9', '1.0', '2.0'])(
    'returns all rows over HTTP/%s, which has no trailers, and errors as usual',
    async (version) => {
      const ask = (path: string): Promise<string> =>
        exchange(
          app.port,
          `GET ${API}${path} HTTP/${version}\r\nTE: trailers\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`,
        );
      const [head = '', body = ''] = (await ask(`${sheet}/rows/export?fields=n`)).split('\r\n\r\n');
      expect(head).toContain(' 200 OK');
      expect(head).not.toMatch(/trailer|transfer-encoding/i);
      expect(numbers(body)).toEqual(all);
      expect(await ask(`${sheet}/rows/export?fields=none`)).toContain(' 400 Bad Request');
    },
  );

  it('releases PostgreSQL before a slow client has read it, and contains one snapshot of the rows', async () => {
    const response = await open(app, owner, `${sheet}/rows/export`);
    // Nothing is read yet, and the export is far larger than the socket buffers.
    await eventually(async () => (await copying(app)) === 0);
    const changed = await owner.api.patch(`${sheet}/rows/${String(MANY)}`, { values: { n: 0 } });
    expect([changed.status, response.complete]).toEqual([200, false]);
    const got = await read(response);
    expect([got.isWhole, got.trailers['export-rows']]).toEqual([true, String(MANY)]);
    expect(numbers(got.text)).toEqual(all);
    await owner.api.patch(`${sheet}/rows/${String(MANY)}`, { values: { n: MANY } });
  });

  it('releases its slot and its connection if its client disconnects', async () => {
    const before = app.logs.length;
    for (const query of ['', '?sort=-t,n&q=f']) {
      for (let round = 0; round < 3; round += 1) {
        const response = await open(app, owner, `${sheet}/rows/export${query}`);
        response.on('error', () => undefined);
        await once(response, 'readable');
        response.destroy();
        await eventually(async () => (await copying(app)) === 0);
      }
    }
    const got = await download(app, owner, `${sheet}/rows/export?fields=n`);
    expect(got.isWhole).toBe(true);
    const logged = app.logs.slice(before);
    expect(logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
