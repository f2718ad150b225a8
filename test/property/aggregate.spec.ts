import * as fc from 'fast-check';
import { sampleSize } from '../support/samples';
import { TestApp, type Member } from '../support/test-app';
import { AggregateModel, isAverage, type ModelGroup } from './aggregate-model';
import { meets, type ModelColumn, type ModelRow } from './query-model';

const CHOICES = ['open', 'paid', 'späť'];
const COLUMNS: readonly (ModelColumn & { options?: { choices: string[] } })[] = [
  { key: 'name', type: 'text' },
  { key: 'count', type: 'integer' },
  { key: 'weight', type: 'number' },
  { key: 'amount', type: 'decimal' },
  { key: 'paid', type: 'boolean' },
  { key: 'day', type: 'date' },
  { key: 'at', type: 'datetime' },
  { key: 'status', type: 'select', options: { choices: CHOICES } },
];

const DAYS = ['0001-01-01', '2024-02-29', '2026-01-04', '2026-01-05', '2026-11-21', '9999-12-31'];
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: fc.constantFrom('', 'a', 'A', 'ä', '😀', '\uffff', '"\\', 'a\nb', 'long '.repeat(150)),
  count: fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  ),
  weight: fc.constantFrom(0, 0.1, 0.2, 1e21, 5e-324, -1.5e308, 1e-7, -1, 2),
  amount: fc.oneof(
    fc.constantFrom('0', '-0', '1.5', '1.50', '0.000000000000000001', '-1.500'),
    fc.constant('99999999999999999999.999999999999999999'),
  ),
  paid: fc.boolean(),
  day: fc.constantFrom(...DAYS),
  at: fc.constantFrom(...DAYS.flatMap((day) => [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`])),
  status: fc.constantFrom(...CHOICES),
};
const row = fc.record(VALUES, { requiredKeys: [] });

const filter = fc.constantFrom<object>(
  {},
  { count: { $gt: 0 } },
  { $or: [{ status: 'open' }, { paid: true }] },
  { name: { $in: ['a', 'A'] } },
);
const groupKey = fc.oneof(
  fc.constantFrom('name', 'count', 'weight', 'amount', 'paid', 'status', 'day').map((column) => ({
    column,
  })),
  fc.record({
    column: fc.constantFrom('day', 'at'),
    bucket: fc.constantFrom('day', 'week', 'month', 'quarter', 'year'),
  }),
);
const aggregate = fc.oneof(
  fc.constant({ function: 'count' as const }),
  fc.record({
    function: fc.constantFrom('count', 'countDistinct', 'sum', 'avg', 'min', 'max'),
    column: fc.constantFrom('count', 'weight', 'amount'),
  }),
  fc.record({
    function: fc.constantFrom('count', 'countDistinct', 'min', 'max'),
    column: fc.constantFrom('name', 'day', 'at'),
  }),
);
const request = fc.record({
  filter,
  groupBy: fc.uniqueArray(groupKey, { maxLength: 3, selector: ({ column }) => column }),
  aggregates: fc.uniqueArray(aggregate, {
    ...{ minLength: 1, maxLength: 5, selector: (one) => AggregateModel.nameOf(one) },
  }),
  /** Which of the aggregates and groups sort, and in which direction. */
  order: fc.array(fc.tuple(fc.nat({ max: 7 }), fc.boolean()), { maxLength: 2 }),
});

type Asked = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

let app: TestApp;
let owner: Member;
let workspaceId: string;
let serial = 0;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  workspaceId = (await owner.api.post('/workspaces', { name: 'Aggregate' })).body.data.id;
});

afterAll(() => app.close());

async function filled(rows: readonly object[], indexed: boolean): Promise<[string, ModelRow[]]> {
  const columns = COLUMNS.map((column) => ({ ...column, indexed }));
  const body = { name: `Grid ${String((serial += 1))}`, columns };
  const { id } = (await owner.api.post(`/workspaces/${workspaceId}/datagrids`, body)).body.data;
  const path = `/datagrids/${String(id)}/rows`;
  await owner.api.post(path, { rows: rows.map((values) => ({ values })) });
  return [path, (await owner.api.get(`${path}?limit=200`)).body.data];
}

/** Sorts by results whose order the model knows: counts, sums and groups. */
function sortOf({ groupBy, aggregates, order }: Asked): string[] {
  const names = [
    ...aggregates
      .filter(({ function: applied }) => /count|sum/.test(applied))
      .map((one) => AggregateModel.nameOf(one)),
    ...groupBy.map(({ column }) => column),
  ];
  const chosen = order.flatMap(([at, isDescending]) => {
    const name = names[at];
    return name === undefined ? [] : [{ name, isDescending }];
  });
  return chosen
    .filter(({ name }, at) => chosen.findIndex((one) => one.name === name) === at)
    .map(({ name, isDescending }) => (isDescending ? `-${name}` : name));
}

/** Replaces each correct average by the values of which it is the average. */
function withAverages({ group, values }: ModelGroup, expected: ModelGroup | undefined): ModelGroup {
  const replaced = Object.entries(values).map(([name, value]) => {
    const averaged = expected?.values[name];
    const isRight = Array.isArray(averaged) && isAverage(String(value), averaged);
    return [name, isRight ? averaged : value] as const;
  });
  return { group, values: Object.fromEntries(replaced) };
}

it.each([false, true])(
  'aggregates are those of the rows that match, in order (indexed columns: %s)',
  async (indexed) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 25 }),
        fc.array(request, { minLength: 6, maxLength: 6 }),
        async (rows, requests) => {
          const [path, stored] = await filled(rows, indexed);
          for (const each of requests) {
            const { groupBy, aggregates } = each;
            const model = new AggregateModel(COLUMNS, groupBy, aggregates);
            const sort = sortOf(each);
            const expected = model
              .groups(stored.filter((one) => meets(COLUMNS, one, each.filter)))
              .sort((a, b) => model.compare(a, b, sort));
            const { body } = await owner.api.post(`${path}/aggregate`, {
              ...{ filter: each.filter, groupBy, aggregates, limit: 1_000 },
              ...(sort.length > 0 && { sort: sort.join(',') }),
            });
            expect(body.error).toBeUndefined();
            const found = (body.data as ModelGroup[]).map((one, index) =>
              withAverages(model.normal(one), expected[index]),
            );
            expect(found).toEqual(expected);
            expect(body.meta).toEqual({ total: expected.length });
          }
        },
      ),
      { numRuns: sampleSize({ few: 15, all: 40 }) },
    );
  },
  120_000,
);
