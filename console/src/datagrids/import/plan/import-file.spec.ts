import { detectFormat, readRecords, readSample } from '../read/source';
import { lineUnitOf, type SourceRecord } from '../read/record';
import { checkFile, convertFile, type CheckTask } from './check';
import { proposePlan, writtenColumns } from './plan';
import { rejectedFile } from './rejected-file';

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

const typesOf = ({ plan }: CheckTask): readonly string[] =>
  plan.columns.map(({ title, type, target }) => `${title}: ${target.kind === 'new' ? type : '-'}`);

const EUROPEAN = [
  'Name;Name;PLZ;Betrag;Datum;;Notiz',
  'Müller;Jörg;01067;1.234,50;31.12.2025;x;"zwei\r\nZeilen; mit ""Zitat"""',
  'Weiß;Änne;80331;-7,00;01.02.2026;;kurz',
  '',
].join('\r\n');

describe('an import of a file', () => {
  it('understands a European CSV file in Windows-1252', async () => {
    const task = await planned(fileOf(latin(EUROPEAN)));
    expect(task.plan.format).toEqual({
      kind: 'csv',
      delimiter: 'semicolon',
      encoding: 'windows-1252',
      hasHeader: true,
    });
    expect(typesOf(task)).toEqual([
      'Name: text',
      'Name 2: text',
      'PLZ: text',
      'Betrag: decimal',
      'Datum: date',
      'Column 6: text',
      'Notiz: text',
    ]);
    expect(await converted(fileOf(latin(EUROPEAN)))).toEqual([
      '{"name":"Müller","name2":"Jörg","plz":"01067","betrag":"1234.50","datum":"2025-12-31","column6":"x","notiz":"zwei\\r\\nZeilen; mit \\"Zitat\\""}',
      '{"name":"Weiß","name2":"Änne","plz":"80331","betrag":"-7.00","datum":"2026-02-01","notiz":"kurz"}',
    ]);
  });

  it('keeps the digits of numbers in a JSON array and in NDJSON', async () => {
    const objects = [
      '{"n": 12345678901234567890.10, "t": "a\\nb"}',
      '{"n":1,"t":null,"o":{"x":[1.0]}}',
    ];
    const expected = ['{"n":"12345678901234567890.10","t":"a\\nb"}', '{"n":"1","o":{"x":[1.0]}}'];
    expect(await converted(fileOf(`[${objects.join(',\n')}]`, 'a.json'))).toEqual(expected);
    expect(await converted(fileOf(`${objects.join('\n')}\n`, 'a.ndjson'))).toEqual(expected);
  });

  it('names the items of a JSON array, and the lines of NDJSON', async () => {
    const objects = ['{"n":1}', '{"n":2}', '{"n":"x"}', '{bad}'];
    const places = async (text: string, name: string): Promise<unknown> => {
      const task = await planned(fileOf(text, name));
      const columns = task.plan.columns.map((one) => ({ ...one, type: 'integer' as const }));
      const plan = { ...task.plan, columns };
      const { misfits } = await checkFile(
        { ...task, plan, written: writtenColumns(plan, []) },
        never,
      );
      const lines = misfits.flatMap(({ examples }) => examples.map(({ line }) => line));
      return [lineUnitOf(plan.format), ...lines];
    };
    expect(await places(`[${objects.join()}]`, 'a.json')).toEqual(['item', 3, 4]);
    expect(await places(`\n${objects.join('\n')}`, 'a.ndjson')).toEqual(['line', 4, 5]);
  });

  it('keeps strings of JSON as strings in a column of type json, whatever they contain', async () => {
    const texts = ['"123"', '"null"', '""', '" "', '"[1]"', '123', '{"a":"1"}', '"x"'];
    const file = fileOf(texts.map((text) => `{"j":${text}}`).join('\n'), 'a.ndjson');
    const sample = await readSample(file, await detectFormat(file));
    const flags = { required: false, unique: false, indexed: false, options: {} };
    const existing = [{ key: 'j', title: 'J', type: 'json' as const, ...flags }];
    const plan = proposePlan(sample, { existing, mayCreate: false });
    const task = { file, plan, written: writtenColumns(plan, existing) };
    const output = await (await convertFile(task, never)).file.text();
    expect(output.trimEnd().split('\n')).toEqual(texts.map((text) => `{"j":${text}}`));

    const reasons = new Map([[1, 'j is wrong']]);
    const rejected = await rejectedFile({ ...task, reasons, notWrittenFrom: null }, never);
    expect(await rejected.text()).toBe('j,import_error\r\n"""123""",j is wrong\r\n');
    expect(typesOf(await planned(fileOf('{"j":"[draft]"}', 'a.ndjson')))).toEqual(['j: text']);
  });

  it('proposes addresses and words for yes and no, and counts the values that do not fit', async () => {
    const lines = Array.from({ length: 20 }, (_none, at) =>
      [`user${at}@example.com`, `https://example.com/${at}`, at % 2 ? 'ja' : 'Nein', 'sí'].join(),
    );
    const good = `email,url,paid,ok\n${lines.join('\n')}\n`;
    const types = ['email: email', 'url: url', 'paid: boolean', 'ok: boolean'];
    expect(typesOf(await planned(fileOf(good)))).toEqual(types);
    const task = await planned(fileOf(`${good}nobody,none,vielleicht,no\n`));
    expect(typesOf(task)).toEqual(types);
    const { rejected, misfits } = await checkFile(task, never);
    expect([rejected, ...misfits.map(({ title, count }) => `${title ?? ''} ${count}`)]).toEqual([
      ...[1, 'email 1', 'url 1', 'paid 1'],
    ]);
    expect((await converted(fileOf(good)))[0]).toBe(
      '{"email":"user0@example.com","url":"https://example.com/0","paid":false,"ok":true}',
    );
    // Too few values, or too many that do not fit.
    const few = 'email,paid\na@example.com,oui\nb@example.com,non\nc,?\n';
    expect(typesOf(await planned(fileOf(few)))).toEqual(['email: text', 'paid: text']);
    expect(typesOf(await planned(fileOf(`${good}a,,\nb,,\n`)))[0]).toBe('email: text');
    // The service rejects this address.
    expect(typesOf(await planned(fileOf('email\nada@localhost\n')))).toEqual(['email: text']);
  });

  it('counts what does not fit in the whole file, with lines', async () => {
    const rows = Array.from({ length: 3_000 }, (_none, at) => (at === 2_500 ? 'abc' : String(at)));
    const task = await planned(fileOf(`n\n${rows.join('\n')}\n`));
    expect(typesOf(task)).toEqual(['n: integer']);
    const progress: number[] = [];
    expect(await checkFile(task, (count) => progress.push(count))).toEqual({
      rows: 3_000,
      rejected: 1,
      emptied: 0,
      leftOut: [],
      uniqueForms: new Map(),
      misfits: [
        {
          title: 'n',
          at: 0,
          reason: 'is not an integer',
          outcome: 'emptiable',
          count: 1,
          examples: [{ line: 2_502, text: 'abc' }],
        },
      ],
    });
    expect(progress).toEqual([2_000]);
    const { lines } = await convertFile(task, never);
    expect([lines[2_499], lines[2_500]]).toEqual([2_501, 2_503]);
  });

  it('leaves values empty that do not fit, if the user wants it, and counts them', async () => {
    const flags = { required: false, unique: false, indexed: false, options: {} };
    const existing = [
      { key: 'id', title: 'Id', type: 'integer' as const, ...flags, unique: true },
      { key: 'n', title: 'N', type: 'integer' as const, ...flags },
      { key: 'm', title: 'M', type: 'integer' as const, ...flags, defaultValue: 7 },
      { key: 'must', title: 'Must', type: 'integer' as const, ...flags, required: true },
    ];
    const text = 'id,n,m,must\n1,abc,xyz,1\n2,2,2,nothing\n3,abc,3,nothing\nx,4,4,4\n';
    const file = fileOf(text);
    const sample = await readSample(file, await detectFormat(file));
    const proposed = proposePlan(sample, { existing, mayCreate: false });
    const taskOf = (matchOn: string): CheckTask => {
      const plan = { ...proposed, emptiesMisfits: true, matchOn };
      return { file, plan, written: writtenColumns(plan, existing) };
    };
    const task = taskOf('');
    const outcomes = async (of: CheckTask): Promise<unknown> => {
      const { rows, rejected, emptied, misfits } = await checkFile(of, never);
      const found = misfits.map(
        ({ title, count, outcome }) => `${title ?? ''} ${count} ${outcome}`,
      );
      return [rows, rejected, emptied, ...found];
    };
    expect(await outcomes({ ...task, plan: { ...task.plan, emptiesMisfits: false } })).toEqual([
      ...[4, 4, 0],
      ...['N 2 emptiable', 'M 1 emptiable', 'Must 2 rejected', 'Id 1 emptiable'],
    ]);
    expect(await outcomes(task)).toEqual([
      ...[4, 2, 3],
      ...['N 1 emptied', 'M 1 emptied', 'Must 2 rejected', 'Id 1 emptied'],
    ]);
    expect((await (await convertFile(task, never)).file.text()).split('\n')).toEqual([
      // A default value would not be empty.
      '{"id":1,"m":null,"must":1}',
      '{"n":4,"m":4,"must":4}',
      '',
    ]);
    const matching = taskOf('id');
    expect(await outcomes(matching)).toEqual([
      ...[4, 3, 2],
      ...['N 1 emptied', 'M 1 emptied', 'Must 2 rejected', 'Id 1 rejected'],
    ]);
    expect(await (await convertFile(matching, never)).file.text()).toBe(
      '{"id":1,"n":null,"m":null,"must":1}\n',
    );
    const reasons = new Map<number, string>();
    const rejected = await rejectedFile({ ...task, reasons, notWrittenFrom: null }, never);
    expect(await rejected.text()).toBe(
      [
        'id,n,m,must,import_error',
        '2,2,2,nothing,Must is not an integer',
        '3,abc,3,nothing,Must is not an integer',
        '',
      ].join('\r\n'),
    );
  });

  it('prints rejected rows as they are in the file, and reads that file again', async () => {
    const task = await planned(fileOf('a;b\n1;"x, y"\nabc;z\n3;w\n'));
    const reasons = new Map([[2, 'a must be unique']]);
    const file = await rejectedFile({ ...task, reasons, notWrittenFrom: null }, never);
    expect(await file.text()).toBe(
      'a;b;import_error\r\nabc;z;a is not an integer\r\n3;w;a must be unique\r\n',
    );
    const again = await planned(file);
    expect(typesOf(again)).toEqual(['a: text', 'b: text', 'import_error: -']);
  });

  it('rejects members and cells that no column has, instead of dropping them', async () => {
    const many = Array.from({ length: 1_000 }, () => '{"a":1}').join('\n');
    const json = await planned(fileOf(`${many}\n{"a":1,"late":2}\n`));
    expect(await checkFile(json, never)).toMatchObject({
      rejected: 1,
      misfits: [{ reason: 'The member "late" is not a column.', count: 1 }],
    });
    const csv = await planned(fileOf(`a,b\n${'1,2\n'.repeat(1_001)}1,2,3\n`));
    expect(await checkFile(csv, never)).toMatchObject({ rows: 1_002, rejected: 1 });
  });

  it('reads lines that end in different ways in the same file', async () => {
    const expected = ['{"a":1,"b":"x"}', '{"a":2,"b":"y"}', '{"a":3,"b":"z"}'];
    expect(await converted(fileOf('a;b\n1;x\r\n2;"y"\r\n3;z\n'))).toEqual(expected);
    expect(await converted(fileOf('a;b\r\n1;x\n2;"y"\r\n3;z\n'))).toEqual(expected);
    expect(await converted(fileOf('a;b\r1;x\r2;"y"\r3;z\r'))).toEqual(expected);
  });

  it('drops nothing behind a JSON array or a line that is too long', async () => {
    await expect(planned(fileOf('[{"a":1}]\n[{"a":2}]', 'a.json'))).rejects.toThrow(
      'The file continues after the JSON array that ends on line 1.',
    );
    expect(await converted(fileOf('[{"a":1}]\n \n', 'a.json'))).toEqual(['{"a":1}']);
    const long = `a;b\n${'1;2\n'.repeat(1_001)}3;"${`${'x'.repeat(1_023)}\n`.repeat(34 * 1024)}4;5\n`;
    const task = await planned(fileOf(long));
    const { rejected, misfits } = await checkFile(task, never);
    expect([rejected, misfits]).toMatchObject([
      1,
      [
        {
          reason: 'The row exceeds the maximum line length of 16777216 bytes.',
          examples: [{ line: 1_003, text: 'lines 1003 to 35820' }],
        },
      ],
    ]);
  });

  it('finds the same records however the file is cut into parts', async () => {
    const text = 'a;b\r\n"1\r\n2";"x""y"\r\n\r\n3;ü\r\n';
    const bytes = new TextEncoder().encode(text);
    const format = await detectFormat(fileOf(text));
    const read = async (size: number): Promise<SourceRecord[]> => {
      const file = fileOf(text);
      file.stream = () =>
        new ReadableStream({
          start(controller) {
            for (let at = 0; at < bytes.length; at += size) {
              controller.enqueue(bytes.slice(at, at + size));
            }
            controller.close();
          },
        });
      const records: SourceRecord[] = [];
      for await (const record of readRecords(file, format, ['a', 'b'])) records.push(record);
      return records;
    };
    const expected = [
      { line: 2, cells: ['1\r\n2', 'x"y'] },
      { line: 5, cells: ['3', 'ü'] },
    ];
    for (const size of [1, 2, 3, 5, 7, 100]) expect(await read(size)).toEqual(expected);
  });
});
