import type { Column } from '../datagrid';
import { compareFile } from './compare-file';
import { ExistingValues, type QueryRows } from './existing-values';
import { checkFile, convertFile, type CheckTask } from './plan/check';
import { proposePlan, writtenColumns } from './plan/plan';
import { rejectedFile } from './plan/rejected-file';
import { detectFormat, readSample } from './read/source';

const FLAGS = { required: false, unique: false, indexed: false, options: {} };
const COLUMNS: readonly Column[] = [
  { key: 'nr', title: 'Kundennr', type: 'text', ...FLAGS, unique: true },
  { key: 'n', title: 'N', type: 'integer', ...FLAGS },
];

const { signal } = new AbortController();
const never = (): void => undefined;

async function planned(lines: readonly string[], matchOn = ''): Promise<CheckTask> {
  const file = new File([`nr,n\n${lines.join('\n')}\n`], 'a.csv');
  const sample = await readSample(file, await detectFormat(file));
  const plan = { ...proposePlan(sample, { existing: COLUMNS, mayCreate: false }), matchOn };
  return { file, plan, written: writtenColumns(plan, COLUMNS) };
}

const datagridWith = (stored: readonly string[]): ExistingValues => {
  const queryRows: QueryRows = (body) => {
    const { $in } = (body as { filter: { nr: { $in: readonly string[] } } }).filter.nr;
    const data = stored.filter((nr) => $in.includes(nr)).map((nr) => ({ values: { nr } }));
    return Promise.resolve({ data, meta: { nextCursor: null } });
  };
  return new ExistingValues(queryRows);
};

const compare = (task: CheckTask, existing: ExistingValues): ReturnType<typeof compareFile> =>
  compareFile(task, existing, signal, (one) => checkFile(one, never));

describe('the check of a file for a datagrid with a unique column', () => {
  it('finds the rows that exist and those that repeat, which are left out', async () => {
    const task = await planned(['K-1,1', 'K-2,2', 'K-3,3', 'K-3,4', 'K-1,5', ',6', ',7']);
    const checked = await compare(task, datagridWith(['K-1', 'K-9']));
    expect(checked).toMatchObject({ rows: 7, rejected: 3, compared: 'all' });
    expect(checked.misfits).toEqual([
      {
        ...{ title: 'Kundennr', at: 0, reason: 'already exists in the datagrid' },
        ...{ outcome: 'rejected', conflict: 'exists', count: 2 },
        examples: [
          { line: 2, text: 'K-1' },
          { line: 6, text: 'K-1' },
        ],
      },
      {
        ...{ title: 'Kundennr', at: 0, reason: 'repeats the value of an earlier row of the file' },
        ...{ outcome: 'rejected', conflict: 'repeated', count: 1 },
        examples: [{ line: 5, text: 'K-3' }],
      },
    ]);
    const { taken } = checked;
    expect(await (await convertFile({ ...task, taken }, never)).file.text()).toBe(
      '{"nr":"K-2","n":2}\n{"nr":"K-3","n":3}\n{"n":6}\n{"n":7}\n',
    );
    const reasons = new Map<number, string>();
    const rejected = await rejectedFile({ ...task, taken, reasons, notWrittenFrom: null }, never);
    expect((await rejected.text()).split('\r\n').slice(1)).toEqual([
      'K-1,1,Kundennr already exists in the datagrid',
      'K-3,4,Kundennr repeats the value of an earlier row of the file',
      'K-1,5,Kundennr already exists in the datagrid',
      '',
    ]);
  });

  it('leaves nothing out for its key if the import changes the rows with the same key', async () => {
    const task = await planned(['K-1,1', 'K-1,2'], 'nr');
    expect(await compare(task, datagridWith(['K-1']))).toMatchObject({
      ...{ rows: 2, rejected: 0, misfits: [], compared: 'all' },
    });
  });

  it('names the first key that is several times in a file that changes rows', async () => {
    const lines = ['K-1,1', 'K-2,1', ',2', ',3', 'K-2,2', 'K-1,2', 'K-2,x', 'K-2,4'];
    const checked = await compare(await planned(lines, 'nr'), datagridWith([]));
    expect(checked).toMatchObject({ rows: 8, rejected: 1 });
    expect(checked.repeatedKeys).toEqual({
      title: 'Kundennr',
      rows: 3,
      text: 'K-2',
      rowsOfText: 3,
    });
    const once = await compare(
      await planned(['K-1,1', 'K-2,1', ',1', ',1'], 'nr'),
      datagridWith([]),
    );
    expect(once.repeatedKeys).toBeUndefined();
    const created = await compare(await planned(['K-1,1', 'K-1,1']), datagridWith([]));
    expect(created.repeatedKeys).toBeUndefined();
  });

  it('compares the first 10,000 rows, and says so', async () => {
    const lines = Array.from({ length: 10_001 }, (_none, at) => `K-${at},1`);
    const checked = await compare(await planned(lines), datagridWith(['K-9999', 'K-10000']));
    expect(checked).toMatchObject({ rows: 10_001, rejected: 1, compared: 'first' });
  });

  it('says so if the rows of the datagrid cannot be read, and finds rows that repeat', async () => {
    const unreadable = new ExistingValues(() => Promise.reject(new Error('No.')));
    const checked = await compare(await planned(['K-1,1', 'K-1,2']), unreadable);
    expect(checked).toMatchObject({ rows: 2, rejected: 1, compared: 'none' });
  });
});
