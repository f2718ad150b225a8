import type { AnswerSource } from '../../platform/http/streamed-answer';

/** The trailers of an export that is whole. */
export const EXPORT_TRAILERS = ['Export-Status', 'Export-Rows'] as const;

/** A file of rows: a first line, where there is one, and the lines of the rows. */
export class RowExport implements AnswerSource {
  private isClosed = false;
  private rows: number | null = null;

  /**
   * @param onRead Called once all rows are read, while some may still wait for the client.
   * @param release Lets go of what the export holds; called once, with the number of rows, or
   *   `null` where it was not read to its end.
   */
  constructor(
    private readonly header: string,
    private readonly open: () => AsyncGenerator<Buffer, number>,
    private readonly onRead: () => void,
    private readonly release: (rows: number | null) => void,
  ) {}

  async *chunks(): AsyncGenerator<Buffer, Readonly<Record<string, string>>> {
    const lines = this.open();
    // What fails before there is a first row can still be told: nothing is sent by then.
    let next = await lines.next();
    if (this.header !== '') yield Buffer.from(this.header);
    for (; next.done !== true; next = await lines.next()) yield next.value;
    this.rows = next.value;
    this.onRead();
    return { 'Export-Status': 'complete', 'Export-Rows': String(next.value) };
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.release(this.rows);
  }
}
