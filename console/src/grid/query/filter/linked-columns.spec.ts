import type { Column } from '../../../datagrids/datagrid';
import { conditionError } from './check-condition';
import { conditionJson } from './condition';
import { linkedCount } from './edit-group';
import { comparesLinkedRows, searchOf, viewOf, ALL_ROWS } from './grid-view';
import { operatorsJson, withLinkedColumns } from './linked-columns';
import { readFilter } from './read-filter';

const column = (key: string, type: Column['type'], options: Column['options'] = {}): Column => ({
  key,
  title: key,
  type,
  required: false,
  unique: false,
  indexed: false,
  options,
});

const OWN = [
  column('number', 'text'),
  column('airline', 'link', { datagridId: 'A' }),
  column('partners', 'multiLink', { datagridId: 'A' }),
  column('hidden', 'link', { datagridId: 'B' }),
];
const COLUMNS = withLinkedColumns(OWN, new Map([['A', [column('name', 'text')]]]));
const NAME = { key: 'airline.name', operator: '$startsWith', typed: 'Alp' } as const;

describe('withLinkedColumns', () => {
  it('adds the columns of the linked datagrids that are known, for each link', () => {
    expect(COLUMNS.slice(OWN.length).map(({ key, title, type }) => [key, title, type])).toEqual([
      ['airline.name', 'airline → name', 'text'],
      ['partners.name', 'partners → name', 'text'],
    ]);
  });

  it('offers neither computed columns nor columns of the rows that are counted', () => {
    const lookup = column('code', 'lookup');
    const count = {
      ...column('flights', 'count'),
      options: { datagridId: 'A', column: 'airline' },
    };
    const linked = new Map([['A', [column('name', 'text'), lookup]]]);
    const keys = withLinkedColumns([...OWN, lookup, count], linked).map(({ key }) => key);
    expect(keys).toEqual(COLUMNS.map(({ key }) => key));
  });
});

describe('operatorsJson', () => {
  it('compares a column, or a column of the linked rows', () => {
    expect(operatorsJson('name', '{"$eq":1}')).toBe('{"name":{"$eq":1}}');
    expect(operatorsJson('airline.name', '{"$eq":1}')).toBe(
      '{"airline":{"$row":{"name":{"$eq":1}}}}',
    );
  });
});

describe('a filter with conditions on linked rows', () => {
  it('is read as it was written', () => {
    const name = COLUMNS.find(({ key }) => key === NAME.key);
    const json = name && conditionJson(name, NAME);
    expect(json).toBe('{"airline":{"$row":{"name":{"$startsWith":"Alp"}}}}');
    expect(readFilter(JSON.parse(json ?? '') as Record<string, unknown>, COLUMNS)).toEqual({
      match: 'all',
      parts: [NAME],
    });
  });

  it('keeps conditions that the dialog cannot edit', () => {
    for (const filter of [
      { airline: { $row: { name: { $gte: 'a', $lt: 'b' } } } },
      { airline: { $row: { name: 'a', code: 1 } } },
      { airline: { $row: { $not: { name: 'a' } } } },
      { airline: { $row: { unknown: 1 } } },
    ]) {
      expect(readFilter(filter, COLUMNS).parts).toEqual([{ json: JSON.stringify(filter) }]);
    }
  });

  it('is in the address, which says that the linked columns must be known', () => {
    const view = { ...ALL_ROWS, filter: { match: 'all', parts: [NAME] } } as const;
    const search = searchOf(view, COLUMNS);
    expect(search.getAll('where')).toEqual(['airline.name:$startsWith:Alp']);
    expect(viewOf(search, OWN, COLUMNS)).toEqual(view);
    const any = { match: 'any', parts: [NAME, { ...NAME, typed: 'B' }] } as const;
    const grouped = searchOf({ ...view, filter: any }, COLUMNS);
    expect(viewOf(grouped, OWN, COLUMNS).filter).toEqual(any);
    expect([search, grouped].map(comparesLinkedRows)).toEqual([true, true]);
    expect(comparesLinkedRows(new URLSearchParams('where=number:$eq:a.b'))).toBe(false);
  });

  it('counts these conditions in all groups', () => {
    const group = {
      match: 'any',
      parts: [NAME, { key: 'number', operator: 'empty', typed: '' }],
    } as const;
    expect(linkedCount({ match: 'all', parts: [NAME, group] })).toBe(2);
  });
});

describe('a condition on a link', () => {
  it('takes ids of rows', () => {
    const [, airline, partners] = OWN;
    if (!airline || !partners) throw new Error('The columns are missing.');
    expect(conditionJson(airline, { key: 'airline', operator: '$in', typed: '1\n2' })).toBe(
      '{"airline":{"$in":[1,2]}}',
    );
    const contains = { key: 'partners', operator: '$contains', typed: '3' } as const;
    expect(conditionJson(partners, contains)).toBe('{"partners":{"$contains":3}}');
    expect(readFilter({ partners: { $contains: 3 } }, OWN).parts).toEqual([contains]);
    expect(conditionError(partners, contains)).toBeUndefined();
    expect(conditionError(partners, { ...contains, typed: '' })).toBe('Choose a row.');
    expect(conditionError(partners, { ...contains, typed: 'x' })).toBe(
      'Choose a row, or enter its id.',
    );
  });
});
