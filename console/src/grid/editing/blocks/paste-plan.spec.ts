import type { Column } from '../../../datagrids/datagrid';
import type { KnownRow } from '../../cells/known-row';
import { groupsOf, planOf, targetOf, withoutRejected } from './paste-plan';

const column = (key: string, type: Column['type']): Column => ({
  key,
  title: key.toUpperCase(),
  type,
  required: false,
  unique: false,
  indexed: false,
  options: {},
});
const COLUMNS = [column('a', 'text'), column('n', 'integer'), undefined];
const row = (id: number, values: Record<string, string | number>): KnownRow => ({
  id,
  values,
  revision: id,
  schemaVersion: 1,
});

describe('the target of a paste', () => {
  it('is the selection if that is a multiple of the block, and else the size of the block', () => {
    const cells = { top: 1, bottom: 4, left: 0, right: 1 };
    expect(targetOf([['x']], cells)).toEqual(cells);
    expect(
      targetOf(
        [
          ['x', 'y'],
          ['z', 'w'],
        ],
        cells,
      ),
    ).toEqual(cells);
    expect(targetOf([['x'], ['y'], ['z']], cells)).toEqual({ ...cells, bottom: 3, right: 0 });
  });
});

describe('the plan of a paste over values that the service sets', () => {
  const columns = [column('no', 'autonumber'), column('a', 'text')];
  const rows = [row(1, { no: 7 })];
  const target = { top: 0, bottom: 0, left: 0, right: 1 };
  const planFor = (...texts: string[]): ReturnType<typeof planOf> => {
    const rawAt = (_row: number, at: number): string | undefined => texts[at];
    return planOf({ target, columns, rows, rawAt, textAt: rawAt });
  };

  it('lists another value as a problem, and keeps the other values', () => {
    const { changes, problems } = planFor('8', 'x');
    const message = 'The service sets the values of this column.';
    expect(problems).toEqual([{ row: 1, title: 'NO', text: '8', message }]);
    expect(changes.map(({ values }) => [...values])).toEqual([[['a', '"x"']]]);
  });

  it('passes over the value of the row and over empty cells', () => {
    expect(planFor('7', 'x').problems).toEqual([]);
    expect(planFor('', 'x').problems).toEqual([]);
  });
});

describe('the plan of a paste', () => {
  const texts = [
    ['same', '12'],
    ['new', '9007199254740993'],
    ['third', ''],
  ];
  const plan = planOf({
    target: { top: 4, bottom: 6, left: 0, right: 1 },
    columns: COLUMNS,
    rows: [row(1, { a: 'same', n: 12 }), row(2, { a: 'old' })],
    textAt: (at, index) => texts[at]?.[index],
  });

  it('writes only what differs, with all digits, and creates the rows beyond the last one', () => {
    expect(plan.changes.map(({ row: known, values }) => [known?.id, [...values]])).toEqual([
      [
        2,
        [
          ['a', '"new"'],
          ['n', '9007199254740993'],
        ],
      ],
      [undefined, [['a', '"third"']]],
    ]);
    expect(plan.rowNumbers).toEqual([6, 7]);
  });

  it('leaves computed values as they are, and names texts that cannot replace them', () => {
    const columns = [column('name', 'lookup'), column('a', 'text')];
    const rows = [row(1, { name: 'p1', a: 'x' }), row(2, { name: 'p2' })];
    const target = { top: 0, bottom: 1, left: 0, right: 1 };
    const plan = (texts: readonly string[]): ReturnType<typeof planOf> =>
      planOf({ target, columns, rows, textAt: (_row, at) => texts[at] });
    const pasted = plan(['p1', 'y']);
    expect(pasted.changes.map(({ values }) => [...values])).toEqual([
      [['a', '"y"']],
      [['a', '"y"']],
    ]);
    expect(pasted.problems).toEqual([
      { row: 2, title: 'NAME', text: 'p1', message: 'The service sets the values of this column.' },
    ]);
    const cleared = plan(['', '']);
    expect(cleared.changes.map(({ values }) => [...values])).toEqual([[['a', 'null']]]);
    expect(cleared.problems).toEqual([]);
  });

  it('loses only the values that the service rejects, and names them', () => {
    const rest = withoutRejected(plan, [{ at: 0, key: 'n', message: 'too large' }], COLUMNS);
    expect([...(rest.changes[0]?.values ?? [])]).toEqual([['a', '"new"']]);
    expect(rest.problems).toEqual([
      { row: 6, title: 'N', text: '9007199254740993', message: 'too large' },
    ]);
  });

  it('names a rejected text without the quotes of JSON', () => {
    const rest = withoutRejected(plan, [{ at: 0, key: 'a', message: 'too long' }], COLUMNS);
    expect(rest.problems.map(({ text }) => text)).toEqual(['new']);
  });

  it('names values for ids and for columns that do not exist', () => {
    const { problems, changes } = planOf({
      target: { top: 0, bottom: 0, left: 2, right: 3 },
      columns: COLUMNS,
      rows: [row(7, {})],
      textAt: () => undefined,
      rawAt: (_, at) => ['8', 'x'][at],
    });
    expect(changes).toEqual([]);
    expect(problems.map(({ message }) => message)).toEqual([
      'Ids cannot be changed.',
      'There is no such column.',
    ]);
  });
});

describe('the problems of a paste', () => {
  it('are one group for each column and reason', () => {
    const problems = [
      { row: 1, title: 'Id', text: '8', message: 'Ids cannot be changed.' },
      { row: 1, title: 'N', text: 'x', message: 'not a number' },
      { row: 2, title: 'Id', text: '9', message: 'Ids cannot be changed.' },
      { row: 3, title: 'Id', text: '8', message: 'Ids cannot be changed.' },
    ];
    expect(groupsOf(problems)).toEqual([
      { title: 'Id', message: 'Ids cannot be changed.', rows: [1, 2, 3], texts: ['8', '9'] },
      { title: 'N', message: 'not a number', rows: [1], texts: ['x'] },
    ]);
  });
});
