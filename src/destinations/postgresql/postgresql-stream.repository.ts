import { type Connection, type FieldDef, type Submittable, types } from 'pg';
import { BATCH_CHARACTERS, lengthOf, type ResultRow } from '../source';

/** Name and type of a column of a result. */
export type ResultField = Pick<FieldDef, 'name' | 'dataTypeID'>;

/** Type of arrays of texts. The types of `pg` know only those that are not arrays. */
const TEXT_ARRAY = 1009;
const parserOf = types.getTypeParser as (type: number) => (text: string) => unknown;

/** Parses the text of an array of any type: lists, nested or not, of texts or `null`. */
export const parseArray = parserOf(TEXT_ARRAY);

/** A row as the server sends it: a text in the form of its type for each column. */
export type StreamedRow = ResultRow;

/**
 * One statement whose rows are read as they are consumed: if nobody reads them, the socket is paused.
 * The extended protocol takes one statement only, and PostgreSQL sends rows while it finds them.
 */
export class StreamQuery implements Submittable {
  /** Resolves with the columns, before the first row. */
  readonly described: Promise<readonly ResultField[]>;
  private connection: Connection | null = null;
  private rows: StreamedRow[] = [];
  private length = 0;
  private isDone = false;
  private failure: Error | null = null;
  private describe: (fields: readonly ResultField[]) => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;
  private wake: () => void = () => undefined;

  /** @param onRow Begins the limits of the next row. */
  constructor(
    private readonly text: string,
    private readonly onRow: () => void,
  ) {
    this.described = new Promise((resolve, reject) => {
      this.describe = resolve;
      this.reject = reject;
    });
    this.described.catch(() => undefined);
  }

  /** Returns the rows that have arrived; `null` after the last one. */
  async next(): Promise<readonly StreamedRow[] | null> {
    while (this.rows.length === 0) {
      if (this.failure) throw this.failure;
      if (this.isDone) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        this.connection?.stream.resume();
      });
    }
    const { rows } = this;
    [this.rows, this.length] = [[], 0];
    return rows;
  }

  submit(connection: Connection): void {
    this.connection = connection;
    this.onRow();
    connection.parse({ name: '', text: this.text, types: [] }, true);
    connection.bind({}, true);
    connection.describe({ type: 'P', name: '' }, true);
    connection.execute({}, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly ResultField[] }): void {
    this.describe(fields);
  }

  handleDataRow({ fields }: { readonly fields: StreamedRow }): void {
    this.onRow();
    this.rows.push(fields);
    this.length += lengthOf(fields);
    if (this.length >= BATCH_CHARACTERS) this.connection?.stream.pause();
    this.wake();
  }

  handleCommandComplete(): void {
    // `handleReadyForQuery` follows.
  }

  handleEmptyQuery(): void {
    // `handleReadyForQuery` follows.
  }

  handleCopyInResponse(): void {
    this.handleError(new Error('The server asks for data.'));
  }

  handleReadyForQuery(): void {
    this.isDone = true;
    this.describe([]);
    this.wake();
  }

  handleError(error: Error): void {
    this.failure = error;
    this.connection?.stream.resume();
    this.reject(error);
    this.wake();
  }
}
