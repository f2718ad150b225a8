import { workbookOf, zipOf } from '../../../../../test/support/zip';
import { detectFormat, readSample } from '../read/source';
import { checkFile, convertFile, type CheckTask } from './check';
import { proposePlan, writtenColumns, type PlanOptions } from './plan';

const never = (): void => undefined;

async function planned(rows: string, existing: PlanOptions['existing'] = []): Promise<CheckTask> {
  const file = new File([zipOf(workbookOf(rows))], 'a.xlsx');
  const sample = await readSample(file, await detectFormat(file));
  const plan = proposePlan(sample, { existing, mayCreate: true });
  return { file, plan, written: writtenColumns(plan, existing) };
}

async function rowsOf(task: CheckTask): Promise<readonly string[]> {
  const { file } = await convertFile(task, never);
  return (await file.text()).trimEnd().split('\n');
}

const text = (content: string): string => `<c t="inlineStr"><is><t>${content}</t></is></c>`;

describe('an import of a workbook', () => {
  const WITH_FAULTS = [
    `<row>${text('k')}${text('v')}${text('w')}</row>`,
    `<row>${text('x')}<c t="e"><v>#N/A</v></c><c><f>A1*2</f><v/></c></row>`,
    `<row>${text('y')}<c><v>5</v></c>${text('z')}</row>`,
  ].join('');

  it('tells of errors and of formulas without a value, and takes neither for a value', async () => {
    const task = await planned(WITH_FAULTS);
    expect(task.plan.columns.map(({ type }) => type)).toEqual(['text', 'integer', 'text']);
    const { rejected, misfits } = await checkFile(task, never);
    expect([
      rejected,
      ...misfits.map(({ title, reason, examples }) => [title, reason, examples]),
    ]).toEqual([
      1,
      ['v', 'has an error of the workbook', [{ line: 2, text: '#N/A' }]],
      [
        'w',
        'has a formula without a value: open and save the workbook in a spreadsheet program',
        [{ line: 2, text: '=A1*2' }],
      ],
    ]);
    expect(await rowsOf(task)).toEqual(['{"k":"y","v":5,"w":"z"}']);
  });

  it('leaves errors empty if the user wants it, and counts them', async () => {
    const task = await planned(WITH_FAULTS);
    const emptied = { ...task, plan: { ...task.plan, emptiesMisfits: true } };
    expect(await checkFile(emptied, never)).toMatchObject({ rejected: 0, emptied: 2 });
    expect(await rowsOf(emptied)).toEqual(['{"k":"x"}', '{"k":"y","v":5,"w":"z"}']);
  });

  it('writes midnight into a column of times like other times, and dates alone into a column of dates', async () => {
    const serials = [45_500.25, 45_501, 45_501.5];
    const rows = serials.map((serial) => `<row><c s="2"><v>${serial}</v></c></row>`).join('');
    const flags = { required: false, unique: false, indexed: false, options: {} };
    const at = { key: 'at', title: 'At', type: 'datetime' as const, ...flags };
    const task = await planned(`<row>${text('At')}</row>${rows}`, [at]);
    expect(await checkFile(task, never)).toMatchObject({ rejected: 0 });
    expect(await rowsOf(task)).toEqual([
      '{"at":"2024-07-27T06:00:00Z"}',
      '{"at":"2024-07-28T00:00:00Z"}',
      '{"at":"2024-07-28T12:00:00Z"}',
    ]);
    const days = await planned(
      `<row>${text('Day')}</row><row><c s="2"><v>45500</v></c></row><row><c s="2"><v>45501</v></c></row>`,
    );
    expect(days.plan.columns.map(({ type }) => type)).toEqual(['date']);
    expect(await rowsOf(days)).toEqual(['{"day":"2024-07-27"}', '{"day":"2024-07-28"}']);
  });

  it('clears the values of cells that a row does not have, if it changes existing rows', async () => {
    const flags = { required: false, unique: false, indexed: false, options: {} };
    const existing = [
      { key: 'id', title: 'Id', type: 'text' as const, ...flags, unique: true },
      { key: 'n', title: 'N', type: 'integer' as const, ...flags },
    ];
    const rows = `<row>${text('Id')}${text('N')}</row><row>${text('a')}</row><row>${text('b')}<c><v>1</v></c></row>`;
    const task = await planned(rows, existing);
    const matching = { ...task, plan: { ...task.plan, matchOn: 'id' } };
    expect(await rowsOf(matching)).toEqual(['{"id":"a","n":null}', '{"id":"b","n":1}']);
  });
});
