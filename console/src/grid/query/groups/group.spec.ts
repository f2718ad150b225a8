import type { ColumnType } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { ALL_ROWS } from '../filter/grid-view';
import { groupTitle, orderedGroups, summedColumns } from './group';
import { groupJson } from './group-filter';
import { RowColors } from './row-colors';

const column = (key: string, type: ColumnType, choices?: string[]): Column => {
  const flags = { required: false, unique: false, indexed: false };
  return { key, title: key, type, ...flags, options: choices ? { choices } : {} };
};

const LINK = { ...column('link', 'link'), options: { datagridId: 'A' } };
const TITLES = { titleOf: (_id: string, id: string) => (id === '1' ? 'Alpine Air' : null) };
const STATUS = column('status', 'select', ['open', 'paid']);
const DUE = column('due', 'date');
const COLUMNS = [
  STATUS,
  column('size', 'integer'),
  column('amount', 'decimal'),
  DUE,
  column('at', 'datetime'),
];

describe('groupJson', () => {
  it('returns the filter of the displayed group', () => {
    const grouped = { ...ALL_ROWS, groupBy: 'status' };
    expect(groupJson(grouped, COLUMNS)).toBeUndefined();
    expect(groupJson({ ...grouped, group: 'paid' }, COLUMNS)).toBe('{"status":{"$eq":"paid"}}');
    expect(groupJson({ ...grouped, group: '' }, COLUMNS)).toBe('{"status":{"$eq":""}}');
    expect(groupJson({ ...grouped, group: null }, COLUMNS)).toBe('{"status":{"$isNull":true}}');
    expect(groupJson({ ...grouped, groupBy: 'gone', group: 1 }, COLUMNS)).toBeUndefined();
  });

  it.each([
    ['due', 'month', '2026-12-01', '{"$gte":"2026-12-01","$lt":"2027-01-01"}'],
    ['due', 'year', '9999-01-01', '{"$gte":"9999-01-01"}'],
    ['due', 'week', null, '{"$isNull":true}'],
    ['at', 'day', '2026-11-21', '{"$gte":"2026-11-21T00:00:00Z","$lt":"2026-11-22T00:00:00Z"}'],
    ['at', null, '2026-11-21T09:30:00.000Z', '{"$eq":"2026-11-21T09:30:00.000Z"}'],
    ['due', 'month', 'open', '{"$eq":"open"}'],
  ] as const)('returns the range of %s in the %s of %s', (groupBy, groupBucket, group, json) => {
    const view = { ...ALL_ROWS, groupBy, groupBucket, group };
    expect(groupJson(view, COLUMNS)).toBe(`{"${groupBy}":${json}}`);
  });
});

describe('groups', () => {
  it('have a name, also without a value', () => {
    expect(groupTitle(STATUS, 'paid', null, TITLES)).toBe('paid');
    expect(groupTitle(STATUS, '', null, TITLES)).toBe('(empty)');
    expect(groupTitle(STATUS, null, null, TITLES)).toBe('(no value)');
    expect(groupTitle(LINK, 1, null, TITLES)).toBe('Alpine Air');
    expect(groupTitle(LINK, 2, null, TITLES)).toBe('2');
  });

  it('of periods have the name of the period', () => {
    expect(groupTitle(DUE, '2026-11-21', 'quarter', TITLES)).toBe('Q4 2026');
    expect(groupTitle(DUE, null, 'quarter', TITLES)).toBe('(no value)');
  });

  it('have the order of the choices, then the others as they are', () => {
    const groups = [null, 'paid', 'gone', 'open'].map((value) => ({ value, count: 1, sums: [] }));
    const ordered = orderedGroups(STATUS, groups).map(({ value }) => value);
    expect(ordered).toEqual(['open', 'paid', null, 'gone']);
    expect(orderedGroups(column('name', 'text'), groups)).toEqual(groups);
  });

  it('have sums of the other numeric columns', () => {
    expect(summedColumns(COLUMNS, 'size').map(({ key }) => key)).toEqual(['amount']);
  });
});

describe('RowColors', () => {
  it('gives the rows of a choice a class, and repeats the colors', () => {
    const colors = new RowColors();
    const classesOf = (value: string | undefined): string[] =>
      Object.entries(colors.rules).flatMap(([name, rule]) => {
        const values = value === undefined ? {} : { status: value };
        const data = { id: 1, values, revision: 1, schemaVersion: 1 };
        return typeof rule === 'function' && rule({ data } as Parameters<typeof rule>[0])
          ? [name]
          : [];
      });
    expect(classesOf('open')).toEqual([]);
    const choices = Array.from({ length: 14 }, (_, at) => `c${at}`);
    colors.set(column('status', 'select', choices));
    expect(classesOf('c1')).toEqual(['choice-color-1']);
    expect(classesOf('c13')).toEqual(['choice-color-1']);
    expect(classesOf('gone')).toEqual([]);
    expect(classesOf(undefined)).toEqual([]);
    colors.set(column('status', 'text'));
    expect(classesOf('c1')).toEqual([]);
  });
});
