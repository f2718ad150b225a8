import { invalidRequest, unavailable } from '../common/error/app-error';
import type { ExportOutcome } from './export-permits';
import { RowExport } from './export-request';

/** An export of two rows, which fails after the first one if there is an error. */
class TwoRows {
  readonly ends: [ExportOutcome, number][] = [];
  readonly source: RowExport;

  constructor(error?: Error, endLine = false) {
    async function* lines(): AsyncGenerator<Buffer, number> {
      yield Buffer.from('a\n');
      if (error) throw error;
      yield await Promise.resolve(Buffer.from('b\n'));
      return 2;
    }
    this.source = new RowExport('h\n', endLine, lines, jest.fn(), (outcome, rows) => {
      this.ends.push([outcome, rows]);
    });
  }

  /** Reads everything, and closes the source as the response does. */
  async readAll(): Promise<string> {
    let text = '';
    try {
      for await (const chunk of this.source.chunks()) text += chunk.toString();
    } finally {
      this.source.close();
      this.source.close();
    }
    return text;
  }
}

describe('an export', () => {
  it('is completed when all rows are read', async () => {
    const rows = new TwoRows();
    expect(await rows.readAll()).toBe('h\na\nb\n');
    expect(rows.ends).toEqual([['completed', 2]]);
  });

  it('ends with the number of its rows if an end line is requested, and only when all rows are read', async () => {
    const failing = new TwoRows(unavailable('The database is unavailable.'), true);
    const sent: string[] = [];
    const read = async (rows: TwoRows): Promise<void> => {
      for await (const chunk of rows.source.chunks()) sent.push(chunk.toString());
    };
    await expect(read(failing)).rejects.toThrow('unavailable');
    expect(sent.splice(0)).toEqual(['h\n', 'a\n']);
    await read(new TwoRows(undefined, true));
    expect(sent).toEqual(['h\n', 'a\n', 'b\n', '{"_end":{"rows":2}}\n']);
  });

  it.each([
    ['the connection to PostgreSQL is lost', new Error('Connection terminated unexpectedly')],
    ['the database is unavailable', unavailable('The database is unavailable.')],
  ])('has failed when %s', async (_, error) => {
    const rows = new TwoRows(error);
    await expect(rows.readAll()).rejects.toBe(error);
    expect(rows.ends).toEqual([['failed', 0]]);
  });

  it('is aborted when its query costs too much', async () => {
    const error = invalidRequest([
      { field: 'filter', code: 'incompatible_parameters', message: 'No.' },
    ]);
    const rows = new TwoRows(error);
    await expect(rows.readAll()).rejects.toBe(error);
    expect(rows.ends).toEqual([['aborted', 0]]);
  });

  it('is aborted, and not failed, when it is closed before its connection ends', async () => {
    const rows = new TwoRows(new Error('Connection terminated'));
    const chunks = rows.source.chunks();
    await chunks.next();
    await chunks.next();
    rows.source.close();
    await expect(chunks.next()).rejects.toThrow('Connection terminated');
    rows.source.close();
    expect(rows.ends).toEqual([['aborted', 0]]);
  });
});
