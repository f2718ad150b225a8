import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

/** Creates a datagrid with the unique column `u` and returns the path of its rows. */
const uniqueColumn = async (type: string): Promise<string> => {
  const options = type === 'select' ? { choices: ['a', 'b'] } : {};
  const column = { key: 'u', type, unique: true, options };
  return `${await newDatagrid(team.owner.api, [column, { key: 'other', type: 'text' }])}/rows`;
};

describe('unique columns', () => {
  it.each<[string, unknown, unknown, unknown]>([
    ['text', 'a', 'a', 'A'],
    ['text', '', '', ' '],
    ['integer', 7, 7, -7],
    ['number', 0.5, 0.5, 0.25],
    ['number', 0, -0, 1],
    ['decimal', '1.5', '1.50', '1.51'],
    ['decimal', '100', '100.000', '1000'],
    ['decimal', '0', '-0.00', '0.01'],
    ['boolean', false, false, true],
    ['date', '2024-02-29', '2024-02-29', '2024-03-01'],
    [
      'datetime',
      '2024-01-01T00:00:00Z',
      '2024-01-01T01:00:00.000+01:00',
      '2024-01-01T00:00:00.001Z',
    ],
    ['select', 'a', 'a', 'b'],
    ['email', 'ada@example.com', 'ada@example.com', 'eve@example.com'],
    ['url', 'https://a.example/', 'https://a.example/', 'https://b.example/'],
  ])(
    'treat values of type %s as equal (%j and %j) or different (%j)',
    async (type, first, same, other) => {
      const rows = await uniqueColumn(type);
      dataOf(await team.editor.api.post(rows, { values: { u: first } }), 201);
      const again = await team.editor.api.post(rows, { values: { u: same } });
      expectFailure(again, 'conflict', ['values.u duplicate']);
      dataOf(await team.editor.api.post(rows, { values: { u: other } }), 201);
      expect((await team.viewer.api.get(rows)).body.meta.total).toBe(2);
    },
  );

  it('distinguish texts longer than an index entry by their last letter', async () => {
    const rows = await uniqueColumn('text');
    const long = 'x'.repeat(100_000);
    dataOf(await team.editor.api.post(rows, { values: { u: `${long}a` } }), 201);
    dataOf(await team.editor.api.post(rows, { values: { u: `${long}b` } }), 201);
    const again = await team.editor.api.post(rows, { values: { u: `${long}a` } });
    expectFailure(again, 'conflict', ['values.u duplicate']);
  });

  it('allow any number of rows without a value', async () => {
    const rows = await uniqueColumn('text');
    const sent = [{ values: {} }, { values: { u: null } }, { values: {} }];
    dataOf(await team.editor.api.post(rows, { rows: sent }), 201);
  });

  it('do not affect other columns and datagrids', async () => {
    const two = ['a', 'b'].map((key) => ({ key, type: 'text', unique: true }));
    const rows = `${await newDatagrid(team.owner.api, two)}/rows`;
    dataOf(await team.editor.api.post(rows, { values: { a: 'x', b: 'x' } }), 201);
    dataOf(await team.editor.api.post(await uniqueColumn('text'), { values: { u: 'x' } }), 201);
  });

  it('reject every duplicate value, of stored rows and of the same call', async () => {
    const two = ['a', 'b'].map((key) => ({ key, type: 'integer', unique: true }));
    const rows = `${await newDatagrid(team.owner.api, two)}/rows`;
    dataOf(await team.editor.api.post(rows, { values: { a: 1, b: 1 } }), 201);
    const sent = [
      { a: 2, b: 2 },
      { a: 3, b: 1 },
      { a: 2, b: 3 },
      { a: 1, b: 2 },
    ];
    const response = await team.editor.api.post(rows, {
      rows: sent.map((values) => ({ values })),
    });
    expectFailure(response, 'conflict', [
      'rows.1.values.b duplicate',
      'rows.2.values.a duplicate',
      'rows.3.values.a duplicate',
      'rows.3.values.b duplicate',
    ]);
    expect((await team.viewer.api.get(rows)).body.meta.total).toBe(1);
  });

  it('treat 1.5 and 1.50 in one call as the same decimal', async () => {
    const rows = await uniqueColumn('decimal');
    const sent = [{ values: { u: '1.5' } }, { values: { u: '1.50' } }];
    const response = await team.editor.api.post(rows, { rows: sent });
    expectFailure(response, 'conflict', ['rows.1.values.u duplicate']);
  });

  it('accept a value from one of many concurrent calls', async () => {
    const rows = await uniqueColumn('text');
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => team.editor.api.post(rows, { values: { u: 'x' } })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array<number>(11).fill(409),
    ]);
    for (const response of responses.filter(({ status }) => status === 409)) {
      expectFailure(response, 'conflict', ['values.u duplicate']);
    }
    const { body } = await team.viewer.api.get(rows);
    expect((body.data as { id: number }[]).map(({ id }) => id)).toEqual([1]);
  });

  it('accept a value from one of concurrent creates, updates and replacements', async () => {
    const rows = await uniqueColumn('integer');
    dataOf(await team.editor.api.post(rows, { rows: [{ values: {} }, { values: {} }] }), 201);
    const responses = await Promise.all([
      team.editor.api.post(rows, { values: { u: 5 } }),
      team.editor.api.patch(`${rows}/1`, { values: { u: 5 } }),
      team.editor.api.put(`${rows}/2`, { values: { u: 5 } }),
    ]);
    const won = responses.filter(({ status }) => status < 300);
    expect(won).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(2);
    const { body } = await team.viewer.api.get(rows);
    const held = (body.data as { values: object }[]).filter(({ values }) => 'u' in values);
    expect(held).toHaveLength(1);
  });

  describe('a unique value', () => {
    it.each<[string, (rows: string) => Promise<{ status: number }>]>([
      ['the row is deleted', (rows) => team.editor.api.delete(`${rows}/1`)],
      [
        'the value is changed',
        (rows) => team.editor.api.patch(`${rows}/1`, { values: { u: 'y' } }),
      ],
      [
        'the value is cleared',
        (rows) => team.editor.api.patch(`${rows}/1`, { values: { u: null } }),
      ],
      [
        'the row is replaced without it',
        (rows) => team.editor.api.put(`${rows}/1`, { values: {} }),
      ],
    ])('can be used again once %s', async (_, free) => {
      const rows = await uniqueColumn('text');
      dataOf(await team.editor.api.post(rows, { values: { u: 'x' } }), 201);
      expect((await team.editor.api.post(rows, { values: { u: 'x' } })).status).toBe(409);
      expect((await free(rows)).status).toBeLessThan(300);
      dataOf(await team.editor.api.post(rows, { values: { u: 'x' } }), 201);
      expect((await team.editor.api.post(rows, { values: { u: 'x' } })).status).toBe(409);
    });
  });

  it('let a row store its own value again, also in another notation', async () => {
    const rows = await uniqueColumn('decimal');
    dataOf(await team.editor.api.post(rows, { values: { u: '1.5' } }), 201);
    const changed = dataOf(
      await team.editor.api.patch(`${rows}/1`, { values: { other: 'x' } }),
      200,
    );
    expect(changed.values).toEqual({ u: '1.5', other: 'x' });
    const put = dataOf(await team.editor.api.put(`${rows}/1`, { values: { u: '1.500' } }), 200);
    expect(put.values).toEqual({ u: '1.500' });
    expect((await team.editor.api.post(rows, { values: { u: '1.5' } })).status).toBe(409);
  });

  it('name the stored row that has a value, or say that an earlier row of the request has it', async () => {
    const rows = await uniqueColumn('text');
    dataOf(
      await team.editor.api.post(rows, { rows: [{ values: {} }, { values: { u: 'a' } }] }),
      201,
    );
    const sent = ['b', 'a', 'b'].map((u) => ({ values: { u } }));
    const { body } = await team.editor.api.post(rows, { rows: sent });
    expect(body.error.details).toEqual([
      {
        field: 'rows.1.values.u',
        code: 'duplicate',
        message: 'must be unique, but row 2 already has this value',
      },
      {
        field: 'rows.2.values.u',
        code: 'duplicate',
        message: 'must be unique, but an earlier row in this request already has this value',
      },
    ]);
  });
});
