import type { AnswerSource } from '../../platform/http/streamed-answer';

/** Trailers of a complete export. */
export const EXPORT_TRAILERS = ['Export-Status', 'Export-Rows'] as const;

/** A file of rows: a header line, if any, and one line per row. */
export class RowExport implements AnswerSource {
  private isClosed = false;
  private rows: number | null = null;

  /**
   * @param onRead Called when all rows are read. Some can still wait for the client.
   * @param release Releases what the export holds. Called once, with the number of rows, or `null`
   *   if not all rows were read.
   */
  constructor(
    private readonly header: string,
    private readonly open: () => AsyncGenerator<Buffer, number>,
    private readonly onRead: () => void,
    private readonly release: (rows: number | null) => void,
  ) {}

  async *chunks(): AsyncGenerator<Buffer, Readonly<Record<string, string>>> {
    const lines = this.open();
    // Nothing is sent before the first row is read, so a failure until then is an error response.
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
