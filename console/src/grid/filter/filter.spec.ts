import { COLUMN_TYPES, type Column, type ColumnType } from '../../datagrids/datagrid';
import { filterJson, operatorsOf, OPERATOR_LABELS, type Condition } from './condition';
import { searchOf, sortParameter, viewOf, type GridView } from './grid-view';

const column = (key: string, type: ColumnType): Column => ({
  key,
  title: key,
  type,
  required: false,
  unique: false,
  indexed: false,
  options: {},
});

const COLUMNS = [
  column('name', 'text'),
  column('amount', 'decimal'),
  column('size', 'integer'),
  column('tags', 'multiSelect'),
  column('paid', 'boolean'),
];

const filter = (...conditions: Condition[]): string | undefined => filterJson(conditions, COLUMNS);

describe('a filter', () => {
  it('is none without conditions', () => {
    expect(filter()).toBeUndefined();
    expect(filter({ key: 'gone', operator: '$eq', typed: '1' })).toBeUndefined();
  });

  it('is one condition, or all of them together', () => {
    expect(filter({ key: 'name', operator: '$contains', typed: 'a"b' })).toBe(
      '{"name":{"$contains":"a\\"b"}}',
    );
    expect(
      filter(
        { key: 'size', operator: '$gte', typed: '1' },
        { key: 'size', operator: '$lt', typed: '10' },
        { key: 'name', operator: 'empty', typed: 'left over' },
        { key: 'paid', operator: '$eq', typed: 'true' },
      ),
    ).toBe(
      '{"$and":[{"size":{"$gte":1}},{"size":{"$lt":10}},{"name":{"$isNull":true}},{"paid":{"$eq":true}}]}',
    );
  });

  it('keeps all digits', () => {
    expect(filter({ key: 'size', operator: '$eq', typed: '9007199254740993' })).toBe(
      '{"size":{"$eq":9007199254740993}}',
    );
    expect(filter({ key: 'amount', operator: '$gt', typed: '1.10' })).toBe(
      '{"amount":{"$gt":"1.10"}}',
    );
  });

  it('asks for one of several, a line each, and for one choice of many', () => {
    expect(filter({ key: 'size', operator: '$in', typed: '1\n\n2' })).toBe(
      '{"size":{"$in":[1,2]}}',
    );
    expect(filter({ key: 'tags', operator: '$contains', typed: 'red' })).toBe(
      '{"tags":{"$contains":"red"}}',
    );
  });

  it('has a label for each operator, and an operator for each type', () => {
    for (const type of COLUMN_TYPES) {
      expect(operatorsOf(type).length).toBeGreaterThan(1);
      expect(operatorsOf(type).filter((one) => !OPERATOR_LABELS[one])).toEqual([]);
    }
  });
});

describe('the view in the address', () => {
  it('reads back as it was', () => {
    const view: GridView = {
      conditions: [
        { key: 'size', operator: '$eq', typed: '9007199254740993' },
        { key: 'name', operator: '$in', typed: 'a:b\nc&d=' },
        { key: 'name', operator: 'empty', typed: '' },
      ],
      sort: [
        { key: 'size', isDescending: true },
        { key: 'name', isDescending: false },
      ],
      q: 'größe & mehr',
    };
    expect(viewOf(new URLSearchParams(searchOf(view).toString()))).toEqual(view);
    expect(sortParameter(view.sort)).toBe('-size,name');
  });

  it('leaves out what it does not understand', () => {
    const search = new URLSearchParams('where=x&where=name:$evil:1&sort=1,-,a;b,name,,a,b,c,d');
    expect(viewOf(search)).toEqual({
      conditions: [],
      sort: ['name', 'a', 'b', 'c'].map((key) => ({ key, isDescending: false })),
      q: '',
    });
  });
});
