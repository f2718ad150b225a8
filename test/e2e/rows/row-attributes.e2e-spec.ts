import { QueryPool } from '../../../src/platform/database/query-pool';
import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

interface Row {
  readonly id: number;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

let app: TestApp;
let owner: Member;
let rows: string;

/** Creates five rows, changes row 2 and deletes row 4. */
beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, [{ key: 'n', type: 'integer', indexed: true }])}/rows`;
  for (const n of [5, 4, 3, 2, 1]) await owner.api.post(rows, { values: { n } });
  await owner.api.patch(`${rows}/2`, { values: { n: 40 } });
  await owner.api.delete(`${rows}/4`);
});

afterAll(() => app.close());

async function idsOf(query: object): Promise<number[]> {
  const response = await owner.api.post(`${rows}/query`, query);
  expect(response.body.error).toBeUndefined();
  return (response.body.data as Row[]).map(({ id }) => id);
}

describe('attributes of rows', () => {
  it.each<[string, object, number[]]>([
    ['the newest first', { sort: '-_id' }, [5, 3, 2, 1]],
    ['the last changed first', { sort: '-_revision' }, [2, 5, 3, 1]],
    ['ids after one', { filter: { _id: { $gt: 2 } } }, [3, 5]],
    ['listed ids', { filter: { _id: { $in: [5, 1, 4] } } }, [1, 5]],
    ['one id', { filter: { _id: 3 } }, [3]],
    ['an id beside an indexed column', { filter: { _id: { $gte: 2 }, n: { $lt: 5 } } }, [3, 5]],
    ['an absent attribute', { filter: { _updatedAt: { $isNull: true } } }, []],
    ['a present attribute', { filter: { _updatedAt: { $isNull: false } } }, [1, 2, 3, 5]],
  ])('filter and sort rows: %s', async (_, query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  it('find the rows that were written since a revision or a time', async () => {
    const row = (await owner.api.get(`${rows}/3`)).body.data as Row;
    const changed = (await owner.api.get(`${rows}/2`)).body.data as Row;

    expect(await idsOf({ filter: { _revision: { $gt: row.revision } } })).toEqual([2, 5]);
    const written = await idsOf({ filter: { _updatedAt: { $gte: changed.updatedAt } } });
    expect(written).toContain(2);
    expect(written).not.toContain(1);
    expect(await idsOf({ filter: { _updatedAt: row.updatedAt } })).toContain(3);
    const since = { _createdAt: { $lte: row.createdAt }, _id: { $gte: 3 } };
    expect(await idsOf({ filter: since })).toEqual([3]);
  });

  it.each(['_id', '-_id', '_revision', '-_updatedAt,_id', '-_createdAt', 'n,-_id'])(
    'are read page by page with a cursor in the order of %s',
    async (sort) => {
      const all = await idsOf({ sort });
      const read: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const response = await owner.api.post(`${rows}/query`, { sort, cursor, limit: 1 });
        read.push(...(response.body.data as Row[]).map(({ id }) => id));
        cursor = response.body.meta.nextCursor as string | null;
      }
      expect(read).toEqual(all);
      expect([...all].sort()).toEqual([1, 2, 3, 5]);
    },
  );

  it.each<[string, object, string]>([
    ['-_id', {}, 'indexed'],
    ['-_id', { n: { $gte: 0 } }, 'scan'],
    ['-_revision', {}, 'scan'],
  ])('count as the right kind of query: sort=%s, filter=%j', async (sort, filter, kind) => {
    const run = jest.spyOn(app.nest.get(QueryPool), 'runForText');
    try {
      await idsOf({ sort, filter });
      expect(run.mock.calls.map(([, , , counted]) => counted)).toEqual([kind]);
    } finally {
      run.mockRestore();
    }
  });

  it('filter exports and deletions', async () => {
    const path = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    await owner.api.post(`${path}/rows`, { rows: [1, 2, 3].map((n) => ({ values: { n } })) });

    const filter = encodeURIComponent(JSON.stringify({ _id: { $gte: 2 } }));
    const exported = await owner.api.get(
      `${path}/rows/export?format=csv&filter=${filter}&sort=-_id`,
    );
    expect(exported.text.trim().split(/\s+/)).toEqual(['n', '3', '2']);
    const deleted = await owner.api.post(`${path}/rows/delete`, { filter: { _id: { $lt: 3 } } });
    expect(deleted.body.data.deleted).toBe(2);
  });

  it.each<[string, object, string]>([
    ['an unknown attribute', { filter: { _size: 1 } }, 'filter._size unknown_column'],
    ['an unknown sort', { sort: '_size' }, 'sort unknown_column'],
    ['an id that is a text', { filter: { _id: '3' } }, 'filter._id wrong_type'],
    ['an id with a fraction', { filter: { _id: 1.5 } }, 'filter._id wrong_type'],
    ['an invalid time', { filter: { _updatedAt: 'now' } }, 'filter._updatedAt invalid_format'],
    [
      'an operator of texts',
      { filter: { _id: { $contains: 1 } } },
      'filter._id.$contains unknown_operator',
    ],
    ['the same attribute twice', { sort: '_id,-_id' }, 'sort duplicate_column'],
    ['an attribute as a field', { fields: '_id' }, 'fields unknown_column'],
  ])('return 400 for %s', async (_, query, detail) => {
    expectFailure(await owner.api.post(`${rows}/query`, query), 'invalid_request', [detail]);
  });

  it.each([
    ['a fraction', '_id', '2:_id:1', '=1.5'],
    ['too many digits', '_revision', '2:_revision:1', `=${'9'.repeat(19)}`],
    ['no value', '_updatedAt', '2:_updatedAt:1', ''],
  ])('return 400 for a made-up cursor with %s', async (_, sort, head, value) => {
    const cursor = [head, value].map((part) => Buffer.from(part).toString('base64url')).join('.');
    const response = await owner.api.post(`${rows}/query`, { sort, cursor });
    expectFailure(response, 'invalid_request', ['cursor invalid_format']);
  });
});
