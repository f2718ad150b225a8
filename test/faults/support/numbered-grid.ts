import { dataOf, newDatagrid } from '../../support/fixture';
import type { ApiClient } from '../../support/api-client';
import type { Call, CallResult } from './loader';

/** A datagrid with one number per row. Every write uses a new number. */
export class NumberedGrid {
  private last = 0;

  private constructor(readonly path: string) {}

  static async create(api: ApiClient): Promise<NumberedGrid> {
    return new NumberedGrid(await newDatagrid(api, [{ key: 'n', type: 'integer' }]));
  }

  /** Creates a row with the next number. */
  nextCreate(): Call {
    this.last += 1;
    return { method: 'POST', path: `${this.path}/rows`, body: { values: { n: this.last } } };
  }

  /** Returns the numbers of all stored rows. */
  stored(api: ApiClient): Promise<number[]> {
    return NumberedGrid.stored(api, this.path);
  }

  static async stored(api: ApiClient, path: string): Promise<number[]> {
    const numbers: number[] = [];
    for (let page = 1; ; page += 1) {
      const response = await api.get(`${path}/rows?limit=200&page=${String(page)}`);
      const rows = dataOf(response, 200) as { values: { n: number } }[];
      numbers.push(...rows.map(({ values }) => values.n));
      if (rows.length < 200) return numbers;
    }
  }
}

/** Returns the number that a call of `nextCreate` writes. */
export function numberOf({ call }: Pick<CallResult, 'call'>): number {
  return (call.body as { values: { n: number } }).values.n;
}

/**
 * Compares results with the stored numbers: acknowledged writes that are lost, numbers that are
 * stored twice, and the number of stored ones that were not acknowledged.
 */
export function compare(
  results: readonly CallResult[],
  stored: readonly number[],
): { acknowledged: number; lost: number[]; twice: number[]; unacknowledged: number } {
  const acknowledged = results.filter(({ status }) => status === 201).map(numberOf);
  const present = new Set(stored);
  const seen = new Set<number>();
  const twice = stored.filter((n) => seen.size === seen.add(n).size);
  const known = new Set(acknowledged);
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((n) => !present.has(n)),
    twice,
    unacknowledged: stored.filter((n) => !known.has(n)).length,
  };
}
