import { newColumn } from '../../../datagrids/column/column-record';
import type { CreateColumnDto } from '../../../datagrids/column/dto/create-column.dto';
import { datagridSchema, type DatagridSchema } from '../../../datagrids/schema/datagrid-schema';
import { RecordFault, type SourceRecord } from '../read/record';
import { CellRowCheck } from './cell-row-check';
import type { CheckedRow } from './checked-row';
import { ObjectRowCheck } from './object-row-check';
import { checkedRows, type RecordCheck } from './record-check';
import { RowRules } from './row-rules';

const MAX_ROW_BYTES = 1024 * 1024;
const VALUES = 20_000;
const MAX_MEMBERS = 1_000;

function schemaOf(...columns: readonly CreateColumnDto[]): DatagridSchema {
  const records = columns.map((column, index) => newColumn(column, index + 1, column.key));
  return datagridSchema('0', { version: 1, state: '1' }, records);
}

const rules = new RowRules({ matchOn: null, maxRowBytes: MAX_ROW_BYTES });

const objects = (schema: DatagridSchema): ObjectRowCheck =>
  new ObjectRowCheck(schema, rules, () => undefined, MAX_MEMBERS);

const cells = (schema: DatagridSchema): CellRowCheck =>
  new CellRowCheck([...schema.columns.values()], rules, 'utf-8');

function line(text: string): SourceRecord<Buffer> {
  const content = Buffer.from(text);
  return { line: 2, nextLine: 3, length: content.length, content };
}

function record(content: readonly string[]): SourceRecord<readonly string[]> {
  return { line: 2, nextLine: 3, length: content.join(',').length, content };
}

/** Checks a record in slices of a few values. Returns the row and the number of slices. */
function inSlices<Content>(
  check: RecordCheck<Content>,
  content: SourceRecord<Content>,
): { row: CheckedRow; slices: number } {
  const work = check.checkInSlices(content, () => true);
  for (let slices = 1; ; slices += 1) {
    const step = work.next();
    if (step.done === true) return { row: step.value, slices };
  }
}

const json = schemaOf({ key: 'j', type: 'json' }, { key: 't', type: 'text' });
const manyValues = `[${'{},'.repeat(VALUES)}"last"]`;

describe('A record', () => {
  it('of NDJSON names 100 unknown members and is not checked any further', () => {
    const members = Array.from({ length: 5_000 }, (_, index) => `"u${String(index)}":1`);
    const { problems } = objects(json).check(line(`{${members.join(',')}}`));
    expect(problems).toHaveLength(100);
    expect(problems[99]).toMatchObject({ field: 'u99', code: 'unknown_column' });
  });

  it('of CSV names 100 bad cells and is not checked any further', () => {
    const columns = Array.from({ length: 300 }, (_, index) => ({
      key: `n${String(index)}`,
      type: 'integer' as const,
    }));
    const checks = cells(schemaOf(...columns));
    expect(checks.check(record(Array<string>(300).fill('x'))).problems).toHaveLength(100);
  });

  it('of CSV names 100 values below blank header cells', () => {
    const checks = new CellRowCheck(Array<null>(300).fill(null), rules, 'utf-8');
    expect(checks.check(record(Array<string>(300).fill('x'))).problems).toHaveLength(100);
  });

  it.each([
    ['a good line', `{"j":${manyValues},"t":"a"}`],
    ['an unknown member', `{"j":${manyValues},"x":1}`],
    ['a duplicate key', `{"j":${manyValues},"j":1}`],
    ['a line that is not JSON', `{"j":${manyValues}`],
    ['an array', manyValues],
  ])('of NDJSON is checked in many slices as it is at once: %s', (_, text) => {
    const { row, slices } = inSlices(objects(json), line(text));
    expect(slices).toBeGreaterThan(VALUES / 100);
    expect(row).toEqual(objects(json).check(line(text)));
  });

  it('of NDJSON is not read any further than its first 1,000 properties, where it is long', () => {
    const members = Array.from({ length: 90_000 }, (_, index) => `"u${String(index)}":1`);
    const { row, slices } = inSlices(objects(json), line(`{${members.join(',')}}`));
    const message = 'has an object with more than 1,000 properties; send fewer at a time';
    expect(row.problems).toEqual([{ field: 'line', code: 'too_many', message }]);
    expect(slices).toBeLessThan(MAX_MEMBERS / 10);
  });

  it.each([
    ['good cells', [manyValues, 'a']],
    ['text that is not JSON', [`${manyValues}]`, 'a']],
    ['a cell too many', [manyValues, 'a', 'b']],
    ['NUL', [`${manyValues}\0`, 'a']],
  ])('of CSV is checked in slices as it is at once: %s', (_, content) => {
    const { row } = inSlices(cells(json), record(content));
    expect(row).toEqual(cells(json).check(record(content)));
  });

  it('of CSV with many JSON values is checked in many slices', () => {
    const { slices } = inSlices(cells(json), record([manyValues, 'a']));
    expect(slices).toBeGreaterThan(VALUES / 100);
  });
});

describe('checkedRows', () => {
  it('gives the rows of short and long records in order', async () => {
    const long = `{"j":[${'0,'.repeat(50_000)}0]}`;
    const records = ['{"t":"a"}', long, long, '{"t":"b"}', '{"t":"c"}', long].map(line);
    const fault = { ...line(''), length: 1_000_000, content: new RecordFault('too_large', 'x') };
    const lengths: number[][] = [];
    for await (const rows of checkedRows('account', objects(json), [...records, fault])) {
      lengths.push(Array.from(rows, (row) => row.json.length));
    }
    const [a, l] = ['{"t":"a"}'.length, long.length];
    expect(lengths.filter((each) => each.length > 0)).toEqual([[a], [l], [l], [a, a], [l], [0]]);
  });
});
