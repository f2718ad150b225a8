import type { ApiResponse, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, freshName, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { importCsv } from '../import/sending';

const MAX_BYTES = 1_000;

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared({ maxColumnMetadataBytes: MAX_BYTES });
  owner = await app.newAccount();
});

afterAll(() => app.close());

/** Returns a column with `bytes` bytes of metadata: its title, and `{}` for the options. */
const column = (key: string, bytes: number): object => {
  return { key, title: 'x'.repeat(bytes - 2), type: 'text' };
};

/** Returns a column with `bytes` bytes: 1 for the title, `{"choices": ["…"]}`, 32 for the choice. */
const select = (key: string, bytes: number): object => {
  const choices = ['x'.repeat(bytes - 1 - 17 - 32)];
  return { key, title: 't', type: 'select', options: { choices } };
};

async function create(columns: readonly object[]): Promise<ApiResponse> {
  const path = `/workspaces/${await newWorkspace(owner.api)}/datagrids`;
  return owner.api.post(path, { name: freshName(), columns });
}

const five = (last: number): object[] => [
  ...['a', 'b', 'c', 'd'].map((key) => column(key, 200)),
  select('e', last),
];

/** Sets options of about `bytes` bytes on each column of a datagrid, beyond the limit. */
async function inflate(datagrid: string, bytes: number): Promise<void> {
  await app.sql.query(
    `UPDATE datagrid_columns SET type = 'select', metadata_bytes = 0,
       options = jsonb_build_object('choices', (SELECT jsonb_agg(to_char(n, 'FM000000') || repeat('x', 190))
         FROM generate_series(1, $2::int / 200) n))
     WHERE datagrid_id = $1`,
    [datagrid.split('/').pop(), bytes],
  );
}

describe('the limit on the metadata of columns', () => {
  it('allows exactly its size when a datagrid is created, and returns 400 for one byte more', async () => {
    dataOf(await create(five(200)), 201);
    const failed = await create(five(201));
    expectFailure(failed, 'invalid_request', ['columns too_large']);
    expect(failed.body.error.message).toBe(
      'columns: makes the titles and options of all columns 1001 bytes in total; the maximum is 1000. Use fewer or shorter choices, or a column of type text',
    );
  });

  it('allows exactly its size when a column is added, and returns 400 for one byte more', async () => {
    const datagrid = await newDatagrid(owner.api, five(200).slice(0, 4));
    const add = (body: object): Promise<ApiResponse> => owner.api.post(`${datagrid}/columns`, body);
    expectFailure(await add(select('e', 201)), 'invalid_request', ['options.choices too_large']);
    expectFailure(await add(column('e', 201)), 'invalid_request', ['title too_large']);
    dataOf(await add(select('e', 200)), 201);
    expectFailure(await add({ key: 'f', type: 'text' }), 'invalid_request', ['title too_large']);
    expect((await owner.api.delete(`${datagrid}/columns/a`)).status).toBe(204);
    dataOf(await add(column('f', 200)), 201);
  });

  it('returns 400 for a change that exceeds it', async () => {
    const datagrid = await newDatagrid(owner.api, five(200));
    const change = (key: string, body: object): Promise<ApiResponse> =>
      owner.api.patch(`${datagrid}/columns/${key}`, body);
    expectFailure(await change('a', { title: 'x'.repeat(199) }), 'invalid_request', [
      'title too_large',
    ]);
    const { options } = select('e', 201) as { options: object };
    expectFailure(await change('e', { options }), 'invalid_request', ['options.choices too_large']);
    dataOf(await change('a', { title: 'x'.repeat(197) }), 200);
    dataOf(await change('e', { options }), 200);
  });

  it('allows a change that does not increase metadata that already exceeds it', async () => {
    const datagrid = await newDatagrid(owner.api, [column('a', 20)]);
    await inflate(datagrid, 10_000);
    const path = `${datagrid}/columns/a`;
    const { options } = dataOf(await owner.api.get(path), 200);
    dataOf(await owner.api.patch(path, { title: 'short', required: true }), 200);
    const longer = { title: 'x'.repeat(100) };
    expectFailure(await owner.api.patch(path, longer), 'invalid_request', [
      'options.choices too_large',
    ]);
    const choices = (options.choices as string[]).slice(0, 5);
    dataOf(await owner.api.patch(path, { options: { choices } }), 200);
    dataOf(await owner.api.patch(path, { options: { choices: ['one'] } }), 200);
    dataOf(await owner.api.patch(path, longer), 200);
  });

  it('returns 400 for an import whose header would exceed it', async () => {
    const datagrid = await newDatagrid(owner.api, five(200));
    const response = await importCsv(owner.api, datagrid, 'another\n1\n', '?createColumns=true');
    expectFailure(response, 'invalid_request', ['title too_large']);
    expect(dataOf(await owner.api.get(datagrid), 200).columns).toHaveLength(5);
  });

  it('holds if many columns are added concurrently', async () => {
    const datagrid = await newDatagrid(owner.api, []);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        owner.api.post(`${datagrid}/columns`, select(`c${String(n)}`, 200)),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 201, 201, 201, ...Array.from({ length: 7 }, () => 400)]);
  });

  it.each([
    ['plain choices', ['a', 'b']],
    ['one choice', ['a']],
    ['characters that JSON escapes', ['"\\/', '\b\f\n\r\t\u0001\u007f', 'é€😀\u2028']],
    ['no choices', undefined],
  ])('counts %s as PostgreSQL does', async (_, choices) => {
    const body = choices
      ? { key: 'a', title: 'Tïtle', type: 'multiSelect', options: { choices } }
      : { key: 'a', title: 'Tïtle', type: 'text' };
    const datagrid = await newDatagrid(owner.api, [body]);
    const { rows } = await app.sql.query<{ stored: number; counted: number }>(
      `SELECT metadata_bytes AS stored, octet_length(title) + octet_length(options::text)
         + 32 * coalesce(jsonb_array_length(options -> 'choices'), 0) AS counted
       FROM datagrid_columns WHERE datagrid_id = $1`,
      [datagrid.split('/').pop()],
    );
    expect(rows[0]?.stored).toBe(rows[0]?.counted);
    dataOf(await owner.api.patch(`${datagrid}/columns/a`, { title: 'Other' }), 200);
    const { rows: after } = await app.sql.query<{ stored: number }>(
      'SELECT metadata_bytes AS stored FROM datagrid_columns WHERE datagrid_id = $1',
      [datagrid.split('/').pop()],
    );
    expect(after[0]?.stored).toBe((rows[0]?.counted ?? 0) - 1);
  });
});

describe('a list of datagrids', () => {
  let list: string;

  beforeAll(async () => {
    const workspace = await newWorkspace(owner.api);
    list = `/workspaces/${workspace}/datagrids`;
    for (const bytes of [400_000, 400_000, 9_000_000]) {
      await inflate(await newDatagrid(owner.api, [column('a', 10)], workspace), bytes);
    }
  });

  it('returns 400 for a page whose columns are larger than 8 MB together', async () => {
    expectFailure(await owner.api.get(list), 'invalid_request', ['limit too_large']);
    expectFailure(await owner.api.get(`${list}?limit=1&page=3`), 'invalid_request', [
      'limit too_large',
    ]);
    const { body } = await owner.api.get(`${list}?limit=1`);
    expect(body.data[0].columns[0].options.choices).toHaveLength(2_000);
    expect(body.meta).toMatchObject({ total: 3, pageSize: 1 });
  });

  it('omits the columns and returns their number with omitColumns', async () => {
    const { body } = await owner.api.get(`${list}?omitColumns=true`);
    expect(body.meta).toEqual({ total: 3, page: 1, pageSize: 3, totalPages: 1 });
    for (const item of body.data as Json[]) {
      expect([item.columns, item.columnCount]).toEqual([undefined, 1]);
      const { columns, ...rest } = dataOf(await owner.api.get(`/datagrids/${item.id}`), 200);
      expect(columns).toHaveLength(1);
      expect(item).toEqual({ ...rest, columnCount: 1 });
    }
  });

  it('returns 400 for an omitColumns that is not a boolean', async () => {
    const detail = ['omitColumns invalid_format'];
    expectFailure(await owner.api.get(`${list}?omitColumns=1`), 'invalid_request', detail);
  });
});

it('returns 200 for many concurrent reads of a large datagrid', async () => {
  const datagrid = await newDatagrid(owner.api, [column('a', 10)]);
  await inflate(datagrid, 3_000_000);
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      owner.api.get(n % 2 ? datagrid : `${datagrid}/rows?sort=a`),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
});
