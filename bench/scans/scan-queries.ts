import { RARE_WORD } from './scan-data';

/** A question that no index answers. */
export interface ScanQuery {
  readonly name: string;
  /** Below the path of the datagrid. */
  readonly path: string;
  readonly body: object;
}

const rows = (name: string, body: object): ScanQuery => ({
  name,
  path: '/rows/query',
  body: { limit: 20, ...body },
});

const groups = (name: string, body: object): ScanQuery => ({ name, path: '/rows/aggregate', body });

export const SCAN_QUERIES: readonly ScanQuery[] = [
  rows('integer equal, 1 % match', { filter: { quantity: 7 } }),
  rows('number greater, 4 % match', { filter: { weight: { $gt: 120 } } }),
  rows('decimal equal, one in a million', { filter: { amount: '370.25' } }),
  rows('text equal, one row', { filter: { name: 'Order c4ca4238a0b923820dcc509a6f75849b' } }),
  rows('two columns', { filter: { quantity: 7, status: 'paid' } }),
  rows('search', { q: RARE_WORD }),
  rows('contains', { filter: { note: { $contains: RARE_WORD } } }),
  rows('sort by a column', { sort: '-weight' }),
  rows('filter and sort', { filter: { status: 'lost' }, sort: '-amount' }),
  groups('sum', { aggregates: [{ function: 'sum', column: 'amount' }] }),
  groups('by 8 choices, count and sum', {
    groupBy: [{ column: 'status' }],
    aggregates: [{ function: 'count' }, { function: 'sum', column: 'amount' }],
  }),
  groups('by month, count and average', {
    groupBy: [{ column: 'day', bucket: 'month' }],
    aggregates: [{ function: 'count' }, { function: 'avg', column: 'weight' }],
  }),
  groups('10 largest of 5,000 groups', {
    groupBy: [{ column: 'city' }],
    aggregates: [{ function: 'sum', column: 'amount', as: 'total' }],
    sort: '-total',
    limit: 10,
  }),
];
