import { COLUMN_TYPE_NAMES, type ColumnType, isComputed } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { operatorsOf, OPERATOR_LABELS, type Condition } from './condition';
import { conditionCount, withoutEmptyGroups } from './edit-group';
import { filterJson, type FilterGroup, type FilterPart } from './filter-group';

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

const filter = (...parts: FilterPart[]): string | undefined =>
  filterJson({ match: 'all', parts }, COLUMNS);

const NAMED: Condition = { key: 'name', operator: '$eq', typed: 'a' };
const SIZED: Condition = { key: 'size', operator: '$gte', typed: '1' };

describe('filterJson', () => {
  it('returns nothing without conditions', () => {
    expect(filter()).toBeUndefined();
    expect(filter({ key: 'gone', operator: '$eq', typed: '1' })).toBeUndefined();
    expect(filter({ match: 'any', parts: [{ match: 'all', parts: [] }] })).toBeUndefined();
  });

  it('combines several conditions with $and', () => {
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

  it('nests groups, and leaves out those that have one part or none', () => {
    const other = { json: '{"$not":{"size":1}}' };
    expect(filter(NAMED, { match: 'any', parts: [SIZED, other] })).toBe(
      '{"$and":[{"name":{"$eq":"a"}},{"$or":[{"size":{"$gte":1}},{"$not":{"size":1}}]}]}',
    );
    expect(filter({ match: 'any', parts: [SIZED] }, { match: 'any', parts: [] })).toBe(
      '{"size":{"$gte":1}}',
    );
    expect(filterJson({ match: 'any', parts: [NAMED, SIZED] }, COLUMNS)).toBe(
      '{"$or":[{"name":{"$eq":"a"}},{"size":{"$gte":1}}]}',
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

  it('reads one value per line for $in', () => {
    expect(filter({ key: 'size', operator: '$in', typed: '1\n\n2' })).toBe(
      '{"size":{"$in":[1,2]}}',
    );
    expect(filter({ key: 'tags', operator: '$contains', typed: 'red' })).toBe(
      '{"tags":{"$contains":"red"}}',
    );
  });

  it('has a label for each operator and operators for each type', () => {
    for (const type of COLUMN_TYPE_NAMES.filter((one) => !isComputed(one))) {
      expect(operatorsOf(type).length).toBeGreaterThan(1);
      expect(operatorsOf(type).filter((one) => !OPERATOR_LABELS[one])).toEqual([]);
    }
  });
});

describe('a filter with groups', () => {
  const nested: FilterGroup = {
    match: 'all',
    parts: [NAMED, { match: 'any', parts: [SIZED, { match: 'all', parts: [] }] }],
  };

  it('counts the conditions of all groups', () => {
    expect(conditionCount(nested)).toBe(2);
  });

  it('drops groups without conditions when it is applied', () => {
    expect(withoutEmptyGroups(nested).parts).toEqual([NAMED, { match: 'any', parts: [SIZED] }]);
  });
});
