import { detectFormat, readSample } from '../read/source';
import { checkFile, convertFile, type CheckTask } from './check';
import { proposePlan, writtenColumns } from './plan';

const never = (): void => undefined;

/** Encodes a text in Windows-1252, as far as it is the same as Latin-1. */
const latin = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, 'latin1'));

const fileOf = (content: BlobPart, name = 'file.csv'): File => new File([content], name);

async function planned(file: File): Promise<CheckTask> {
  const sample = await readSample(file, await detectFormat(file));
  const plan = proposePlan(sample, { existing: [], mayCreate: true });
  return { file, plan, written: writtenColumns(plan, []) };
}

async function converted(file: File): Promise<readonly string[]> {
  const { file: output } = await convertFile(await planned(file), never);
  return (await output.text()).trimEnd().split('\n');
}

const GERMAN = 'Name;Ort\r\nMüller;"Köln\r\nDeutz"\r\nWeiß;Änne\r\n';

describe('an import of a file in another encoding', () => {
  it('reads the same from UTF-8 with a byte order mark and from UTF-16', async () => {
    const expected = await converted(fileOf(latin(GERMAN)));
    const utf16 = Buffer.from(`\ufeff${GERMAN}`, 'utf16le');
    expect(await converted(fileOf(`\ufeff${GERMAN}`))).toEqual(expected);
    expect(await converted(fileOf(new Uint8Array(utf16)))).toEqual(expected);
    expect(await converted(fileOf(new Uint8Array(utf16.swap16())))).toEqual(expected);
  });

  it('reads a character that is not ASCII far behind the start, or says that it cannot', async () => {
    const line = `1;${'a'.repeat(997)}\n`;
    const late = (rows: number): File => fileOf(latin(`n;t\n${line.repeat(rows)}2;Müller\n`));
    const found = await planned(late(500));
    expect(found.plan.format).toMatchObject({ encoding: 'windows-1252' });
    expect((await converted(late(500))).at(-1)).toBe('{"n":2,"t":"Müller"}');
    const { rejected, misfits } = await checkFile(await planned(late(9_000)), never);
    expect([rejected, misfits]).toEqual([
      1,
      [
        {
          reason: 'The row has bytes that are not UTF-8. Correct them, or choose another encoding.',
          outcome: 'rejected',
          count: 1,
          examples: [{ line: 9_002, text: '0xFC at character 2 of cell 2' }],
        },
      ],
    ]);
  });

  it('names rows of JSON with bytes of another encoding, and imports the others', async () => {
    const bytes = Buffer.from('{"n":"ü"}\n{"n":"?"}\n{"n":"ö"}\n');
    bytes[bytes.indexOf('?')] = 0xfc;
    const task = await planned(fileOf(new Uint8Array(bytes), 'a.ndjson'));
    const { rejected, misfits } = await checkFile(task, never);
    expect([rejected, misfits[0]?.examples]).toEqual([
      1,
      [{ line: 2, text: '0xFC at character 7 of cell 1' }],
    ]);
    const { file } = await convertFile(task, never);
    expect(await file.text()).toBe('{"n":"ü"}\n{"n":"ö"}\n');
  });
});
