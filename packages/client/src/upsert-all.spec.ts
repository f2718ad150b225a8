import { ApiError } from './error.ts';
import { upsertAll, type UpsertAllOptions, type UpsertTotals } from './upsert-all.ts';

interface Item {
  readonly sku: string;
  readonly note?: string;
}

const tooLarge = (): ApiError =>
  new ApiError({ status: 413, code: 'payload_too_large', message: 'x', requestId: null });

/** Accepts up to `maxRows` rows of a request, and records the keys of those that it wrote. */
class Target {
  readonly batches: string[][] = [];

  constructor(private readonly maxRows = Infinity) {}

  upsert(_: unknown, rows: readonly { sku?: string | null }[]): Promise<{ status: 'created' }[]> {
    if (rows.length > this.maxRows) return Promise.reject(tooLarge());
    this.batches.push(rows.map(({ sku }) => String(sku)));
    return Promise.resolve(rows.map(() => ({ status: 'created' as const })));
  }
}

const run = (
  target: Target,
  rows: Iterable<Item>,
  options: UpsertAllOptions = {},
): Promise<UpsertTotals> => upsertAll<Item>(target, ['sku'], rows, options);
const items = (count: number, note?: string): Item[] =>
  Array.from({ length: count }, (_, index) => ({
    sku: String(index),
    ...(note !== undefined && { note }),
  }));

describe('an upsert of many rows', () => {
  it('sends batches of 1,000 rows, and counts what happened to them', async () => {
    const target = new Target();
    const seen: number[] = [];
    const onProgress = ({ created }: UpsertTotals): unknown => seen.push(created);
    const totals = await run(target, items(2_500), { onProgress });
    expect(totals).toEqual({ created: 2_500, updated: 0, unchanged: 0 });
    expect(target.batches.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(seen).toEqual([1_000, 2_000, 2_500]);
    expect(target.batches.flat()).toEqual(items(2_500).map(({ sku }) => sku));
  });

  it('sends nothing without rows', async () => {
    const target = new Target();
    expect(await run(target, [])).toEqual({ created: 0, updated: 0, unchanged: 0 });
    expect(target.batches).toEqual([]);
  });

  it('sends large rows in smaller batches', async () => {
    const target = new Target();
    await run(target, items(10, 'ü'.repeat(500_000)));
    expect(target.batches.map(({ length }) => length)).toEqual([2, 2, 2, 2, 2]);
  });

  it('sends rows with the same key one after the other', async () => {
    const target = new Target();
    await run(target, [{ sku: 'a' }, { sku: 'b' }, { sku: 'a' }, { sku: 'c' }]);
    expect(target.batches).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ]);
  });

  it('halves a batch that is too large for the service, and gives up on a single row', async () => {
    const target = new Target(3);
    expect(await run(target, items(8))).toMatchObject({ created: 8 });
    expect(target.batches.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
    await expect(run(new Target(0), items(8))).rejects.toMatchObject({ status: 413 });
  });
});
