import { COLUMN_TYPE_NAMES } from '../datagrids/column-type/column-type';
import type { QueryColumn } from '../rows/query/query-column';
import { operatorsOf } from '../rows/query/filter/operators';
import { conditionsSql } from './columnar-filter-sql';
import { copyColumnOf } from './copy-table';

/** A valid operand of each type that is compared or searched. */
const OPERANDS: Readonly<Record<string, string | number | boolean>> = {
  integer: 1,
  number: 2,
  decimal: '2',
  boolean: true,
  date: '2026-11-21',
  datetime: '2026-11-21T10:00:00.000Z',
  link: 1,
  multiLink: 1,
  autonumber: 1,
};

const EACH = COLUMN_TYPE_NAMES.flatMap((type) =>
  [...operatorsOf(type).values()].map((operator) => ({ type, operator, name: operator.name })),
);

it.each(EACH)(
  'a columnar copy has a condition for $name of $type columns',
  ({ type, operator }) => {
    const column = { id: 7, slot: 'a', key: 'a', type, options: {} } as unknown as QueryColumn;
    const table = { name: 't', columns: new Map([[7, copyColumnOf(column)]]) };
    const operand = operator.operand === 'flag' ? true : (OPERANDS[type] ?? 'a');
    const filter = { kind: 'column', column, operator, operands: [operand] } as const;
    const request = { filter, search: null, searched: [] };
    const [condition] = conditionsSql(request, { table, fold: (text) => text });
    expect(condition).toMatch(/\b[vf]7\b/);
  },
);
