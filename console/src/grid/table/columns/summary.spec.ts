import type { ColumnType } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { summarizedIn } from './grid-layout';
import { shownSummary, summariesOf, summaryChoices, type SummaryFunction } from './summary';

const column = (key: string, type: ColumnType): Column => {
  const flags = { required: false, unique: false, indexed: false };
  return { key, title: key, type, ...flags, options: {} };
};

const shown = (type: ColumnType, summary: SummaryFunction, value: string | number | null): string =>
  shownSummary({ column: column('size', type), summary }, value);

it('A column offers the functions that take its values', () => {
  const numbers = ['sum', 'avg', 'min', 'max', 'count', 'countDistinct'];
  expect(summariesOf(column('size', 'decimal'))).toEqual(numbers);
  expect(summariesOf(column('at', 'date'))).toEqual(['min', 'max', 'count', 'countDistinct']);
  expect(summariesOf(column('done', 'boolean'))).toEqual(['count', 'countDistinct']);
  expect(summariesOf(column('more', 'json'))).toEqual(['count']);
});

it('Only a column that a function takes can be one too many', () => {
  const layout = Array.from({ length: 20 }, (_, at) => ({
    key: `c${String(at)}`,
    summary: 'count' as const,
  }));
  expect(summaryChoices(column('looked', 'lookup'), [])).toEqual([]);
  expect(summaryChoices(column('looked', 'lookup'), layout)).toEqual([]);
  expect(summaryChoices(column('more', 'json'), layout)).toBe('full');
  expect(summaryChoices(column('more', 'json'), layout.slice(1))).toEqual(['count']);
  expect(summaryChoices(column('c0', 'json'), layout)).toEqual(['count']);
});

it('Hidden columns, and functions that do not take the values, have no summary', () => {
  const columns = [column('size', 'integer'), column('name', 'text'), column('cost', 'decimal')];
  const summed = summarizedIn(columns, [
    { key: 'cost', summary: 'avg' },
    { key: 'name', summary: 'sum' },
    { key: 'size', summary: 'sum', hidden: true },
    { key: 'gone', summary: 'count' },
  ]);
  expect(summed).toEqual([{ column: columns[2], summary: 'avg' }]);
});

it('A sum has all its digits, and an average at most four after the point', () => {
  expect(shown('decimal', 'sum', '12345678901234567890.123456')).toBe(
    '12,345,678,901,234,567,890.123456',
  );
  expect(shown('decimal', 'avg', '-0.00005')).toBe('-0.0001');
  expect(shown('decimal', 'avg', '12345678901234567890.99995')).toBe('12,345,678,901,234,567,891');
  expect(shown('integer', 'avg', '2.5')).toBe('2.5');
  expect(shown('decimal', 'avg', '-0.000001')).toBe('0');
});

it('A minimum is shown as a value, and no value as a dash', () => {
  expect(shown('date', 'max', '2026-11-27')).toBe('Nov 27, 2026');
  expect(shown('integer', 'min', null)).toBe('–');
  expect(shown('text', 'count', 10_000)).toBe('10,000');
});
