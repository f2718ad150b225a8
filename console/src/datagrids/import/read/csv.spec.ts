import { CSV_CASES } from '../../../../../test/support/csv-cases';
import { detectFormat, readRecords, readSample } from './source';

describe('a CSV file in the console', () => {
  it.each(CSV_CASES)('with $name is read as by the API', async ({ file: bytes, header, rows }) => {
    const file = new File([bytes], 'file.csv');
    const format = await detectFormat(file);
    const { names } = await readSample(file, format);
    expect([format, names]).toEqual([expect.objectContaining({ hasHeader: true }), header]);
    const read: unknown[] = [];
    for await (const { line, cells, error, detail } of readRecords(file, format, names)) {
      read.push([line, error === undefined ? cells : `${error} ${detail ?? ''}`]);
    }
    expect(read).toEqual(
      rows.map(([line, row]) => [
        line,
        'rejected' in row ? (expect.stringContaining(row.rejected) as string) : row,
      ]),
    );
  });

  it.each([
    ['a row of amounts', 'North,512\nSouth,98\n'],
    ['a year above years', 'Ann,1984\nBob,1990\nEve,2001\n'],
    ['a day above days', 'a,2024-05-01\nb,2024-05-02\n'],
    ['the same year twice', 'a,2024,2024\nb,1,2\n'],
    ['years alone', '2021,2022\n1,2\n'],
    ['a value that comes again', 'red,x\nblue,y\nred,z\n'],
  ])('with %s as its first row has no header', async (_, text) => {
    expect(await detectFormat(new File([text], 'a.csv'))).toMatchObject({ hasHeader: false });
  });

  it.each([
    ['years', 'Region,Code,2021,2022\nNorth,N1,512,2030\nSouth,S4,98,101\n'],
    ['days', 'Region,2024-01-01,2024-01-02\nNorth,1,2\n'],
    ['a year above texts', 'Name,2021\nAnn,yes\n'],
  ])('with %s beside a name has a header', async (_, text) => {
    expect(await detectFormat(new File([text], 'a.csv'))).toMatchObject({ hasHeader: true });
  });

  it('that can be split in two ways waits for the choice of its delimiter', async () => {
    const text = 'price,net;count\n1,5;2\n3,25;4\n';
    const format = await detectFormat(new File([text], 'a.csv'));
    expect(format).toMatchObject({ delimiter: 'comma', isAmbiguous: true });
    const clear = await detectFormat(new File([text.replace(',', ' ')], 'a.csv'));
    expect(clear).toEqual({
      kind: 'csv',
      delimiter: 'semicolon',
      encoding: 'utf-8',
      hasHeader: true,
    });
  });

  it('begins with the first row that has a value', async () => {
    const file = new File([',\n,\nname,n\na,1\n,\n'], 'a.csv');
    const { names, records } = await readSample(file, await detectFormat(file));
    expect([names, records.map(({ line, cells }) => [line, ...cells])]).toEqual([
      ['name', 'n'],
      [
        [4, 'a', '1'],
        [5, null, null],
      ],
    ]);
  });

  it('with bytes of another encoding in its header is not read without these names', async () => {
    const bytes = Buffer.concat([
      Buffer.from('Größe,Prei'),
      Buffer.from([0xdf]),
      Buffer.from('\nä,ö\n'),
    ]);
    const file = new File([new Uint8Array(bytes)], 'a.csv');
    await expect(readSample(file, await detectFormat(file))).rejects.toThrow(
      'Line 1 cannot be read: 0xDF at character 5 of cell 2. The row has bytes that are not UTF-8. Correct them, or choose another encoding.',
    );
  });
});
