import { detectFormat, readSample } from '../read/source';
import { type ImportPlan, proposePlan } from './plan';

async function planOf(text: string): Promise<ImportPlan> {
  const file = new File([text], 'file.csv');
  const sample = await readSample(file, await detectFormat(file));
  return proposePlan(sample, { existing: [], mayCreate: true });
}

describe('the proposed plan of an import', () => {
  it('keeps a column of mixed values a text, and names the type that most of them have', async () => {
    const mixed = [
      ['ada@example.com', 'https://example.com/1', '12', '2026-11-21', 'one'],
      ['bob@example.com', 'https://example.com/2', '13', '2026-11-22', 'two'],
      ['nobody', 'https://example.com/3', 'many', '2026-11-23', '3'],
      ['eve@example.com', 'none', '14', 'today', '4'],
      ['joe@example.com', 'https://example.com/5', '15', 'tomorrow', '5'],
      ['sue@example.com', 'https://example.com/6', 'few', '2026-11-26', '6'],
    ];
    const lines = ['mail,web,n,day,x', ...mixed.map((row) => row.join()), ''];
    const plan = await planOf(lines.join('\n'));
    expect(plan.columns.map(({ type }) => type)).toEqual(Array(5).fill('text'));
    expect(plan.columns.map(({ hint }) => hint)).toEqual([
      { type: 'email', values: 6, misfits: 1, examples: [{ line: 4, text: 'nobody' }] },
      { type: 'url', values: 6, misfits: 1, examples: [{ line: 5, text: 'none' }] },
      {
        type: 'integer',
        values: 6,
        misfits: 2,
        examples: [
          { line: 4, text: 'many' },
          { line: 7, text: 'few' },
        ],
      },
      {
        type: 'date',
        values: 6,
        misfits: 2,
        examples: [
          { line: 5, text: 'today' },
          { line: 6, text: 'tomorrow' },
        ],
      },
      {
        type: 'integer',
        values: 6,
        misfits: 2,
        examples: [
          { line: 2, text: 'one' },
          { line: 3, text: 'two' },
        ],
      },
    ]);
  });

  it('keeps the decimals of 10.00, so that later cents fit', async () => {
    const typesOf = async (text: string): Promise<unknown> =>
      (await planOf(text)).columns.map(({ type }) => type);
    expect(await typesOf('Price\n10.00\n20.00\n')).toEqual(['decimal']);
    const german = 'a;b;c\n10,00;1.000;7\n20,00;2.500;8\n1,5;1;9\n';
    expect(await typesOf(german)).toEqual(['decimal', 'integer', 'integer']);
  });
});
