import type { Pool, PoolClient } from 'pg';
import type { ApiResponse, Json } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'n', type: 'integer', unique: true },
  { key: 'kind', type: 'text' },
];

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

/** Creates rows with n = 1 to 10 and kind even or odd. */
beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  const rows = Array.from({ length: 10 }, (_, i) => {
    return { values: { n: i + 1, kind: i % 2 === 0 ? 'odd' : 'even' } };
  });
  await team.owner.api.post(`${datagrid}/rows`, { rows });
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const remove = (body: unknown): Promise<ApiResponse> =>
  team.editor.api.post(`${datagrid}/rows/delete`, body);

/** Returns the remaining values of n and the datagrid's revision. */
async function left(): Promise<[number[], number]> {
  const { data, meta } = (await team.viewer.api.get(`${datagrid}/rows`)).body;
  const numbers = (data as Json[]).map(({ values }) => values.n as number);
  expect(meta.total).toBe(numbers.length);
  return [numbers, (await team.viewer.api.get(datagrid)).body.data.revision];
}

/** Adds rows up to id 20,010 by SQL. Their kind is a SQL expression of `id`; they have no n, so the index lists them as empty. */
const fillTo20010 = (kind: string): Promise<void> => fillTo(20_010, kind, app.sql);

async function fillTo(last: number, kind: string, sql: Pool | PoolClient): Promise<void> {
  await sql.query(
    `WITH row AS (
       INSERT INTO rows
       SELECT $1, id, jsonb_build_object('kind', ${kind}), 1, now(), now()
       FROM generate_series(11, $2::bigint) AS id
       RETURNING datagrid_id, id
     ), entry AS (
       INSERT INTO number_index_entries (datagrid_id, column_id, is_empty, value, row_id)
       SELECT c.datagrid_id, c.id, true, 0, row.id
       FROM row JOIN datagrid_columns c ON c.datagrid_id = row.datagrid_id AND c.key = 'n'
     )
     UPDATE datagrid_counters SET last_row_id = $2, row_count = $2 WHERE datagrid_id = $1`,
    [datagrid.split('/')[2], last],
  );
}

const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

describe('POST /datagrids/{datagridId}/rows/delete', () => {
  it('deletes matching rows, frees their unique values and logs their ids', async () => {
    const filter = { kind: 'even', n: { $gt: 2 } };
    expect(dataOf(await remove({ filter }), 200)).toEqual({ deleted: 4 });
    expect(await left()).toEqual([[1, 2, 3, 5, 7, 9], 2]);
    const again = await team.owner.api.post(`${datagrid}/rows`, { values: { n: 4 } });
    expect(dataOf(again, 201).id).toBe(11);
    const logged = await app.sql.query<{ ids: number[]; revision: number }>(
      `SELECT row_ids::int[] AS ids, revision::int FROM datagrid_changes
      WHERE datagrid_id = $1 AND kind = 'delete'`,
      [datagrid.split('/')[2]],
    );
    expect(logged.rows).toEqual([{ ids: [4, 6, 8, 10], revision: 2 }]);
  });

  it('deletes all rows if the filter is empty', async () => {
    expect(dataOf(await remove({ filter: {} }), 200)).toEqual({ deleted: 10 });
    expect(await left()).toEqual([[], 2]);
  });

  it('changes nothing if no row matches', async () => {
    expect(dataOf(await remove({ filter: { n: 99 } }), 200)).toEqual({ deleted: 0 });
    expect(await left()).toEqual([ALL, 1]);
  });

  it('deletes exactly maxAffected rows', async () => {
    const response = await remove({ filter: { kind: 'odd' }, maxAffected: 5 });
    expect(dataOf(response, 200)).toEqual({ deleted: 5 });
  });

  it('counts the rows in a dry run and deletes none', async () => {
    const response = await remove({ filter: { kind: 'odd' }, dryRun: true });
    expect(dataOf(response, 200)).toEqual({ deleted: 5 });
    expect(await left()).toEqual([ALL, 1]);
  });

  it('accepts /records as an alias of /rows', async () => {
    const response = await team.editor.api.post(`${datagrid}/records/delete`, {
      filter: { n: 1 },
    });
    expect(dataOf(response, 200)).toEqual({ deleted: 1 });
  });

  it('deletes more rows than one batch holds', async () => {
    await fillTo20010("CASE id % 3 WHEN 0 THEN 'y' ELSE 'x' END");
    expect(dataOf(await remove({ filter: { kind: 'y' } }), 200)).toEqual({ deleted: 6_667 });
    const { data, meta } = (await team.viewer.api.get(`${datagrid}/rows?page=668`)).body;
    expect(meta.total).toBe(13_343);
    expect(data[2]).toMatchObject({ id: 20_009, values: { kind: 'x' } });
  });

  describe('a deletion during another write', () => {
    let client: PoolClient;

    beforeEach(async () => {
      client = await app.sql.connect();
      await client.query('BEGIN');
      await client.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR NO KEY UPDATE', [
        datagrid.split('/')[2],
      ]);
    });

    afterEach(async () => {
      await client.query('ROLLBACK');
      client.release();
    });

    it('counts in a dry run without waiting for the lock of the datagrid', async () => {
      const response = await remove({ filter: { kind: 'odd' }, dryRun: true });
      expect(dataOf(response, 200)).toEqual({ deleted: 5 });
    });

    it('deletes rows that matched at its start and still match, and no later rows', async () => {
      const response = remove({ filter: { kind: 'even' } });
      await eventually(async () => (await waitingForLocks(app)) === 1);
      const id = datagrid.split('/')[2];
      await client.query(
        `UPDATE rows SET revision = 2,
           "values" = "values" || jsonb_build_object('kind', CASE WHEN id = 2 THEN 'odd' ELSE 'even' END)
         WHERE datagrid_id = $1 AND id IN (2, 4)`,
        [id],
      );
      await client.query('UPDATE datagrid_counters SET revision = 2 WHERE datagrid_id = $1', [id]);
      await client.query(
        `INSERT INTO datagrid_changes (datagrid_id, revision, part, revisions, kind, row_count, at)
        VALUES ($1, 2, 0, 1, 'update', 0, now())`,
        [id],
      );
      await fillTo(11, "'even'", client);
      await client.query('COMMIT');
      expect(dataOf(await response, 200)).toEqual({ deleted: 4 });
      expect((await left())[0]).toEqual([1, 2, 3, 5, 7, 9, undefined]);
    });
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'body wrong_type'],
    ['no filter', {}, 'filter required'],
    ['a filter that is null', { filter: null }, 'filter wrong_type'],
    ['a filter that is text', { filter: '{}' }, 'filter wrong_type'],
    ['a filter without an operand', { filter: { n: {} } }, 'filter.n required'],
    ['an empty part of a filter', { filter: { $or: [{}, { n: 1 }] } }, 'filter.$or.0 required'],
    ['an unknown column', { filter: { other: 1 } }, 'filter.other unknown_column'],
    ['a maxAffected of -1', { filter: {}, maxAffected: -1 }, 'maxAffected wrong_type'],
    ['a maxAffected of null', { filter: {}, maxAffected: null }, 'maxAffected wrong_type'],
    ['a dryRun of 1', { filter: {}, dryRun: 1 }, 'dryRun wrong_type'],
    ['an unknown property', { filter: {}, sort: 'n' }, 'sort unknown_property'],
  ])('returns 400 for %s', async (_, body, detail) => {
    expectFailure(await remove(body), 'invalid_request', [detail]);
    expect(await left()).toEqual([ALL, 1]);
  });

  it('returns 400 and deletes nothing if the query times out', async () => {
    const hurried = await TestApp.start({
      database: app.database,
      settings: { QUERY_TIMEOUT_MS: '1' },
    });
    try {
      await fillTo20010("'z'");
      const api = hurried.api(team.editor.key);
      const filter = { kind: { $contains: 'never' } };
      const response = await api.post(`${datagrid}/rows/delete`, { filter });
      expectFailure(response, 'query_too_expensive', ['kind not_indexed']);
    } finally {
      await hurried.close();
    }
    const { revision, rowCount } = (await team.viewer.api.get(datagrid)).body.data;
    expect([revision, rowCount]).toEqual([1, 20_010]);
  });

  it('returns 403 for a viewer', async () => {
    expectFailure(
      await team.viewer.api.post(`${datagrid}/rows/delete`, { filter: {} }),
      'forbidden',
    );
  });

  it('returns 404 if the datagrid does not exist', async () => {
    const response = await team.editor.api.post(`/datagrids/${NO_ID}/rows/delete`, { filter: {} });
    expectFailure(response, 'not_found');
  });

  it.each([0, 4])(
    'returns 409 with the number of matching rows if it exceeds a maxAffected of %d',
    async (maxAffected) => {
      for (const dryRun of [true, false]) {
        const response = await remove({ filter: { kind: 'odd' }, maxAffected, dryRun });
        expectFailure(response, 'conflict', ['maxAffected too_many']);
        expect(response.body.error.message).toContain('5 rows match');
      }
      expect(await left()).toEqual([ALL, 1]);
    },
  );
});
