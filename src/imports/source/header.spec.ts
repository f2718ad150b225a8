import { AppError } from '../../common/error/app-error';
import { newColumn } from '../../datagrids/column/column-record';
import { datagridSchema, type DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { readHeader, unknownCells } from './header';

const COLUMNS = 500;

function schemaOf(titles: readonly string[]): DatagridSchema {
  const records = titles.map((title, index) => {
    const key = `k${String(index)}`;
    return newColumn({ key, title, type: 'text' }, index + 1, key);
  });
  return datagridSchema('0', { version: 1, state: '1' }, records);
}

const wide = schemaOf(Array.from({ length: COLUMNS }, (_, index) => `Title ${String(index)}`));

function errorOf(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('The header was accepted.');
}

describe('readHeader', () => {
  it('finds columns by a title that only one column has, or by key', () => {
    const schema = schemaOf(['Name', 'Twice', 'Twice']);
    const found = readHeader(schema, ['k1', ' Name ', '', 'Twice'], 'utf-8');
    expect(found.map(({ name, column }) => [name, column?.key])).toEqual([
      ['k1', 'k1'],
      ['Name', 'k0'],
      ['', undefined],
      ['Twice', undefined],
    ]);
  });

  it('goes through the columns once for each header, not for each cell', () => {
    const values = jest.spyOn(wide.columns, 'values');
    const cells = ['k0', ...Array<string>(2_000).fill(''), 'Title 1', 'Title 2', 'unknown'];
    const found = readHeader(wide, cells, 'utf-8');
    expect(found.filter(({ column }) => column)).toHaveLength(3);
    expect(values).toHaveBeenCalledTimes(1);
    values.mockRestore();
  });

  it('keeps the first 1,000 duplicate names', () => {
    const error = errorOf(() => readHeader(wide, Array<string>(5_000).fill('x'), 'utf-8'));
    expect(error.message).toBe('At least 1000 errors found; the first 100 are listed.');
    expect(error.details).toHaveLength(100);
  });
});

describe('unknownCells', () => {
  it('says whether a name is unknown or is the title of several columns', () => {
    const schema = schemaOf(['Twice', 'Twice']);
    const cells = readHeader(schema, ['Twice', '', 'colour'], 'utf-8');
    const error = unknownCells(schema, cells, false) as AppError;
    expect(error.details.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'header.0: "Twice" is the title of several columns; use a column key',
      'header.2: unknown column "colour"; use a column key or title, or createColumns=true',
    ]);
  });

  it('stops after 1,000 names', () => {
    let read = 0;
    const cells = Array.from({ length: 5_000 }, () => ({
      get name(): string {
        read += 1;
        return 'x';
      },
      column: null,
      isAmbiguous: false,
    }));
    unknownCells(wide, cells, false);
    expect(read).toBeLessThan(5_000);
  });
});
