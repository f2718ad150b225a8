import { newColumn } from '../datagrids/column/column-record';
import { datagridSchema, type DatagridSchema } from '../datagrids/schema/datagrid-schema';
import { matchColumns, requireColumns } from './result-columns';

const schemaOf = (...keys: readonly string[]): DatagridSchema => {
  const records = keys.map((key, index) =>
    newColumn({ key, type: 'text', unique: key === 'code' }, index + 1, key),
  );
  return datagridSchema('0', { version: 1, state: '1' }, records);
};

const matched = (
  names: readonly string[],
  schema: DatagridSchema,
  mapping: Readonly<Record<string, string>> | null = null,
): (string | undefined)[] => matchColumns(names, schema, mapping).map((column) => column?.key);

const required = (names: readonly string[], ...others: [Record<string, string>?]): string[] => {
  const result = names.map((name) => ({ name, type: 'text' }));
  const chosen = { keyColumns: ['code'], mapping: others[0] ?? null };
  return requireColumns(result, schemaOf('code', 'city'), chosen).map(({ key }) => key);
};

describe('the columns of a result', () => {
  it('must not include a column whose values the service sets', () => {
    const records = [
      newColumn({ key: 'code', type: 'text', unique: true }, 1, 'code'),
      newColumn({ key: 'no', type: 'autonumber' }, 2, 'no'),
    ];
    const schema = datagridSchema('0', { version: 1, state: '1' }, records);
    const result = ['code', 'NO'].map((name) => ({ name, type: 'text' }));
    expect(() => requireColumns(result, schema, { keyColumns: ['code'], mapping: null })).toThrow(
      'The service sets column "no" of the datagrid. Leave it out of the query.',
    );
  });

  it('match by the mapping, by an equal key, or by the only one that differs in case', () => {
    const schema = schemaOf('code', 'cityName', 'city', 'CITY');
    expect(matched(['CODE', 'CITYNAME', 'city', 'CITY', 'City'], schema)).toEqual([
      'code',
      'cityName',
      'city',
      'CITY',
      undefined,
    ]);
    expect(matched(['city', 'b'], schema, { city: 'code', b: 'none' })).toEqual([
      'code',
      undefined,
    ]);
    expect(matched(['constructor', 'toString'], schema, { a: 'code' })).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('are named in the error if they do not fit', () => {
    expect(required(['city', 'Code'])).toEqual(['city', 'code']);
    expect(() => required([])).toThrow('The result has no columns.');
    expect(() => required(['code', 'a', 'b'])).toThrow('no column for columns "a", "b"');
    expect(() => required(['code', 'CODE'])).toThrow('are for column "code" of the datagrid');
    expect(() => required(['city'])).toThrow('lacks the key column "code"');
    expect(() => required(['code'], { place: 'city' })).toThrow('lacks column "place"');
    const many = Array.from({ length: 30 }, (_, n) => `c${String(n)}`);
    expect(() => required(['code', ...many])).toThrow('"c9" and 20 more of the result');
  });
});
