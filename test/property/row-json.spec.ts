import * as fc from 'fast-check';
import { dataOf, newDatagrid } from '../support/fixture';
import { sampleSize } from '../support/samples';
import { TestApp, type Member } from '../support/test-app';

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((each) => !each.includes('\0'));
const CHOICES = ['open', 'päid', '"quoted"\\'];

/** Values that are returned as they were sent, of each kind of JSON that a row can hold. */
const VALUES = {
  text,
  integer: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0),
  decimal: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  boolean: fc.boolean(),
  multiSelect: fc.uniqueArray(fc.constantFrom(...CHOICES), { minLength: 1 }),
  json: fc.oneof(
    fc.dictionary(text, fc.oneof(text, fc.boolean(), fc.constant(null), fc.maxSafeInteger())),
    fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 3 }),
  ),
};
const row = fc.record(VALUES, { requiredKeys: [] });

interface Row {
  readonly id: number;
  readonly revision: number;
}

let app: TestApp;
let owner: Member;
let path: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(() => app.close());

/** Creates a datagrid with a column of each type; with `hasGap`, one that has lost a column. */
async function create(hasGap: boolean): Promise<void> {
  const columns = Object.keys(VALUES).map((type) => ({
    key: type,
    type,
    ...(type === 'multiSelect' && { options: { choices: CHOICES } }),
  }));
  path = await newDatagrid(owner.api, [{ key: 'gone', type: 'text' }, ...columns]);
  if (hasGap) expect((await owner.api.delete(`${path}/columns/gone`)).status).toBe(204);
}

const read = async (id: number): Promise<Row> =>
  dataOf(await owner.api.get(`${path}/rows/${String(id)}`), 200) as Row;

describe.each([
  ['whose columns are all there', false],
  ['that has lost a column', true],
])('rows of a datagrid %s', (_, hasGap) => {
  beforeAll(() => create(hasGap));

  it('are printed alike by Node.js after a create and by PostgreSQL', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (values) => {
        const body = { rows: values.map((each) => ({ values: each })) };
        const created = dataOf(await owner.api.post(`${path}/rows`, body), 201) as Row[];
        expect(created).toEqual(values.map((each) => expect.objectContaining({ values: each })));
        for (const each of created) expect(await read(each.id)).toEqual(each);
      }),
      { numRuns: sampleSize({ few: 15, all: 40 }) },
    );
  }, 120_000);

  it('are printed alike by Node.js after a batch and by PostgreSQL', async () => {
    await fc.assert(
      fc.asyncProperty(row, row, row, async (first, changes, second) => {
        const created = await owner.api.post(`${path}/rows`, { values: first });
        const { id } = dataOf(created, 201) as Row;
        const operations = [
          { op: 'update', id, values: changes },
          { op: 'create', values: second },
        ];
        const batch = await owner.api.post(`${path}/rows/batch`, { mode: 'atomic', operations });
        const { results } = dataOf(batch, 200) as { readonly results: readonly { row: Row }[] };
        for (const result of results) expect(await read(result.row.id)).toEqual(result.row);
      }),
      { numRuns: sampleSize({ few: 15, all: 40 }) },
    );
  }, 120_000);
});
