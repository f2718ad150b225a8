import { ExistingValues, type QueryRows } from './existing-values';

const COLUMN = { key: 'n', type: 'integer', options: {} } as const;

interface Body {
  readonly filter: { readonly n: { readonly $in: readonly number[] } };
  readonly limit: number;
  readonly cursor: string;
}

/** Answers queries of a datagrid that has these values, and keeps the queries. */
function datagridWith(stored: readonly number[]): { queryRows: QueryRows; bodies: Body[] } {
  const bodies: Body[] = [];
  const queryRows: QueryRows = (given) => {
    const body = given as Body;
    bodies.push(body);
    const found = stored.filter((one) => body.filter.n.$in.includes(one));
    const from = Number(body.cursor);
    const data = found.slice(from, from + body.limit).map((n) => ({ values: { n } }));
    const end = from + data.length;
    return Promise.resolve({
      data,
      meta: { nextCursor: end < found.length ? String(end) : null },
    });
  };
  return { queryRows, bodies };
}

const formsOf = (count: number): Set<string> =>
  new Set(Array.from({ length: count }, (_none, at) => String(at)));

const { signal } = new AbortController();

describe('the values that rows of a datagrid have', () => {
  it('are read in batches of 1,000, and page by page', async () => {
    const { queryRows, bodies } = datagridWith([3, 500, 1_001, 5_000]);
    const found = await new ExistingValues(queryRows).find(COLUMN, formsOf(2_500), signal);
    expect([...found]).toEqual(['3', '500', '1001']);
    expect(bodies.map(({ filter }) => filter.n.$in.length)).toEqual([1_000, 1_000, 500]);

    const full = datagridWith(Array.from({ length: 450 }, (_none, at) => at));
    const all = await new ExistingValues(full.queryRows).find(COLUMN, formsOf(1_000), signal);
    expect(all.size).toBe(450);
    expect(full.bodies.map(({ cursor }) => cursor)).toEqual(['', '200', '400']);
  });

  it('are read once, however often the file is checked', async () => {
    const { queryRows, bodies } = datagridWith([1]);
    const existing = new ExistingValues(queryRows);
    await existing.find(COLUMN, formsOf(2), signal);
    expect([...(await existing.find(COLUMN, formsOf(3), signal))]).toEqual(['1']);
    expect(bodies.map(({ filter }) => filter.n.$in)).toEqual([[0, 1], [2]]);
  });
});
