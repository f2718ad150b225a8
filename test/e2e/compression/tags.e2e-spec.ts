import { CODINGS_HERE } from '../../../src/platform/http/compress';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { accepting, fetchCoded } from './coded';
import { largeDatagrid, largeRow, longText, wideDatagrid } from './large';

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.alone('It locks the whole table of rows.');
  owner = await app.newAccount();
});

afterAll(() => app.close());

/** Reads `path` with the encoding `form` and returns its ETag. */
async function tagOf(path: string, form: string): Promise<string> {
  const { status, headers } = await fetchCoded(app, owner, path, accepting(form));
  expect([status, headers['content-encoding']]).toEqual([
    200,
    form === 'identity' ? undefined : form,
  ]);
  return String(headers.etag);
}

const THINGS = {
  row: async () => {
    const path = await largeRow(owner);
    const change = (n: number): object => ({ values: { t: longText(20_000, n) } });
    return { path, write: path, change };
  },
  datagrid: async () => {
    const path = await wideDatagrid(owner);
    return { path, write: path, change: (n: number) => ({ description: longText(100, n) }) };
  },
  page: async () => {
    const datagrid = await largeDatagrid(owner);
    const path = `${datagrid}/rows?limit=200&fields=t`;
    const change = (n: number): object => ({ values: { t: longText(100, n) } });
    return { path, write: `${datagrid}/rows/1`, change };
  },
};

describe.each(Object.entries(THINGS))('the ETag of a compressed %s', (_, make) => {
  it.each(CODINGS_HERE)('returns 304 until the resource changes, with %s', async (coding) => {
    const { path, write, change } = await make();
    const tag = await tagOf(path, coding);
    for (const ifNoneMatch of [tag, `W/${tag}`, `"other", ${tag}`]) {
      for (const method of ['GET', 'HEAD']) {
        const known = { ...accepting(`identity;q=0.5, ${coding}`), 'if-none-match': ifNoneMatch };
        const again = await fetchCoded(app, owner, path, known, method);
        expect([again.status, again.bytes.length]).toEqual([304, 0]);
        expect(again.headers).toMatchObject({ etag: tag, vary: 'Accept-Encoding' });
        expect(again.headers).not.toHaveProperty('content-encoding');
      }
    }
    dataOf(await owner.api.patch(write, change(1)), 200);
    const moved = await fetchCoded(app, owner, path, {
      ...accepting(coding),
      'if-none-match': tag,
    });
    expect([moved.status, moved.headers['content-encoding']]).toEqual([200, coding]);
    expect(moved.headers.etag).not.toBe(tag);
  });

  it('matches the encoding that the client accepts in a response with 304', async () => {
    const { path } = await make();
    const [gzip, plain] = [await tagOf(path, 'gzip'), await tagOf(path, 'identity')];
    const both = `${plain}, ${gzip}`;
    for (const [acceptEncoding, ifNoneMatch, expected] of [
      ['gzip', both, gzip],
      ['identity', both, plain],
      ['gzip', plain, plain],
      [undefined, gzip, gzip],
      [undefined, both, plain],
    ] as const) {
      const headers = { ...(acceptEncoding && accepting(acceptEncoding)) };
      const got = await fetchCoded(app, owner, path, { ...headers, 'if-none-match': ifNoneMatch });
      expect([got.status, got.headers.etag]).toEqual([304, expected]);
    }
  });

  it('returns 200 if the client does not accept the encoding of the known ETag', async () => {
    const { path } = await make();
    for (const [known, acceptEncoding, expected] of [
      ['gzip', 'identity', undefined],
      ['br', 'gzip', 'gzip'],
      ['identity', 'identity;q=0, gzip', 'gzip'],
    ] as const) {
      const tag = await tagOf(path, known);
      const headers = { ...accepting(acceptEncoding), 'if-none-match': tag };
      const got = await fetchCoded(app, owner, path, headers);
      expect([got.status, got.headers['content-encoding']]).toEqual([200, expected]);
      expect(got.text).toMatch(/^\{"data":/);
    }
  });
});

describe.each([
  ['row', THINGS.row],
  ['datagrid', THINGS.datagrid],
])('a change of a %s with the ETag of a compressed response', (_, make) => {
  it.each(CODINGS_HERE)(
    'succeeds only with the current strong ETag, as does a deletion: %s',
    async (coding) => {
      const { path, change } = await make();
      const tag = await tagOf(path, coding);
      const ifMatch = { 'if-match': tag };
      dataOf(await owner.api.patch(path, change(1), ifMatch), 200);
      const before = await fetchCoded(app, owner, path);
      expectFailure(await owner.api.patch(path, change(2), ifMatch), 'precondition_failed');
      expectFailure(await owner.api.delete(path, ifMatch), 'precondition_failed');
      expect((await fetchCoded(app, owner, path)).text).toBe(before.text);
      const last = await tagOf(path, coding);
      const weak = { 'if-match': `W/${last}` };
      expectFailure(await owner.api.patch(path, change(2), weak), 'precondition_failed');
      expect((await owner.api.delete(path, { 'if-match': last })).status).toBe(204);
    },
  );

  it('succeeds once for the ETags of all encodings of one version, and returns 412 for the others', async () => {
    const { path, change } = await make();
    const tags = await Promise.all(['identity', ...CODINGS_HERE].map((form) => tagOf(path, form)));
    expect(new Set(tags).size).toBe(tags.length);
    const responses = await Promise.all(
      [...tags, ...tags].map((tag, n) => owner.api.patch(path, change(n + 1), { 'if-match': tag })),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: responses.length - 1 }, () => 412)]);
  });
});

it('returns 304 for a compressed page without reading rows', async () => {
  const datagrid = await largeDatagrid(owner);
  const paths = [`${datagrid}/rows?limit=200`, `${datagrid}/rows?limit=200&sort=t`];
  const tags = await Promise.all(paths.map((path) => tagOf(path, 'gzip')));
  // Locks the table, so that any read of rows would wait.
  const locker = await app.sql.connect();
  try {
    await locker.query('BEGIN; LOCK TABLE rows IN ACCESS EXCLUSIVE MODE');
    for (const [index, path] of paths.entries()) {
      const known = { ...accepting('gzip'), 'if-none-match': tags[index] ?? '' };
      expect((await fetchCoded(app, owner, path, known)).status).toBe(304);
    }
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
});
