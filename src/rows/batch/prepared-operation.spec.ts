import { AppError } from '../../common/error/app-error';
import { datagridSchema } from '../../datagrids/schema/datagrid-schema';
import { newColumn } from '../../datagrids/column/column-record';
import { readBatchBody } from './batch-body';
import { prepareBatch } from './prepared-operation';

const OPERATIONS = 1_000;
const required = Array.from({ length: 300 }, (_, index) => {
  const key = `r${String(index)}`;
  return newColumn({ key, type: 'text', required: true }, index + 1, key);
});

/** Returns the number of error details of each operation in a batch of equal operations. */
async function placesNamed(values: object): Promise<number[]> {
  const schema = datagridSchema('0', { version: 1, state: '1' }, required);
  const operations = Array.from({ length: OPERATIONS }, () => ({ op: 'create', values }));
  const batch = readBatchBody({ mode: 'partial', operations });
  const prepared = await prepareBatch('account', schema, batch, 1_000_000);
  return prepared.map((each) => (each instanceof AppError ? each.details.length : 0));
}

describe('prepareBatch', () => {
  it.each([
    [
      'values of unknown columns',
      Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`u${String(index)}`, 1])),
    ],
    ['required columns without a value', {}],
  ])('reports one field per operation after 1,000 fields for %s', async (_, values) => {
    const named = await placesNamed(values);
    expect(named).toHaveLength(OPERATIONS);
    expect(named.slice(0, 2)).toEqual([100, 100]);
    expect(named.slice(10)).toEqual(Array(OPERATIONS - 10).fill(1));
  });
});
