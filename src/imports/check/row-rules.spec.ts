import { newColumn } from '../../datagrids/column/column-record';
import type { CreateColumnDto } from '../../datagrids/column/dto/column.dto';
import { datagridSchema, type DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { RecordFault, type SourceRecord } from '../../common/encoding/utf8-text';
import { CellRowCheck } from './cell-row-check';
import { type CheckedRow, checkedRows, type RecordCheck, RowRules } from './row-rules';
import { ObjectRowCheck } from './object-row-check';

const MAX_ROW_BYTES = 1024 * 1024;
const VALUES = 20_000;
const MAX_MEMBERS = 1_000;

function schemaOf(...columns: readonly CreateColumnDto[]): DatagridSchema {
  const records = columns.map((column, index) => newColumn(column, index + 1, column.key));
  return datagridSchema('0', { version: 1, state: '1' }, records);
}

const rules = new RowRules({ matchOn: null, maxRowBytes: MAX_ROW_BYTES, ignoresReadOnly: false });

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

describe('the check of an import record', () => {
  it('stops after 100 unknown properties of an NDJSON record', () => {
    const members = Array.from({ length: 5_000 }, (_, index) => `"u${String(index)}":1`);
    const { problems } = objects(json).check(line(`{${members.join(',')}}`));
    expect(problems).toHaveLength(100);
    expect(problems[99]).toMatchObject({ field: 'u99', code: 'unknown_column' });
  });

  it('stops after 100 invalid cells of a CSV record', () => {
    const columns = Array.from({ length: 300 }, (_, index) => ({
      key: `n${String(index)}`,
      type: 'integer' as const,
    }));
    const checks = cells(schemaOf(...columns));
    expect(checks.check(record(Array<string>(300).fill('x'))).problems).toHaveLength(100);
  });

  it('stops after 100 values below blank header cells of a CSV record', () => {
    const checks = new CellRowCheck(Array<null>(300).fill(null), rules, 'utf-8');
    expect(checks.check(record(Array<string>(300).fill('x'))).problems).toHaveLength(100);
  });

  it.each([
    ['a good line', `{"j":${manyValues},"t":"a"}`],
    ['an unknown property', `{"j":${manyValues},"x":1}`],
    ['a duplicate key', `{"j":${manyValues},"j":1}`],
    ['a line that is not JSON', `{"j":${manyValues}`],
    ['an array', manyValues],
  ])('gives the same result for an NDJSON record in many slices: %s', (_, text) => {
    const { row, slices } = inSlices(objects(json), line(text));
    expect(slices).toBeGreaterThan(VALUES / 100);
    expect(row).toEqual(objects(json).check(line(text)));
  });

  it('stops after 1,000 properties of a long NDJSON record', () => {
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
  ])('gives the same result for a CSV record in slices: %s', (_, content) => {
    const { row } = inSlices(cells(json), record(content));
    expect(row).toEqual(cells(json).check(record(content)));
  });

  it('checks a CSV record with many JSON values in many slices', () => {
    const { slices } = inSlices(cells(json), record([manyValues, 'a']));
    expect(slices).toBeGreaterThan(VALUES / 100);
  });
});

describe('checkedRows', () => {
  it('yields the rows of short and long records in order', async () => {
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
