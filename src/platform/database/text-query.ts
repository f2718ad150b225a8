import type { Connection, Pool, PoolClient, Submittable } from 'pg';
import type { Statement } from './statement';

/** PostgreSQL's text output for each column of a row. */
export type TextRow = readonly (string | null)[];

type Callback = (error: Error | null, row?: TextRow) => void;

/** Parts of `pg` that its type definitions omit. */
interface ExtendedProtocol {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly string[] }): void;
  execute(): void;
  sync(): void;
}

interface Submitting {
  query(query: Submittable, values: undefined, callback: Callback): void;
}

/**
 * Runs a prepared statement that returns at most one row, whose columns the caller knows.
 * PostgreSQL does not describe the columns with each response, and `pg` does not build objects.
 * @returns `undefined` if there is no row.
 */
export async function queryText(
  target: Pool | PoolClient,
  statement: Statement,
  values: readonly string[],
): Promise<TextRow | undefined> {
  return new Promise((resolve, reject) => {
    const query = new TextQuery(statement, values);
    (target as unknown as Submitting).query(query, undefined, (error, row) => {
      if (error) reject(error);
      else resolve(row);
    });
  });
}

/** A query whose handlers `pg` calls as the messages of the response arrive. */
class TextQuery implements Submittable {
  /** Set by the client that runs the query. */
  callback!: Callback;
  readonly name: string;
  readonly text: string;
  private row: TextRow | undefined;

  constructor(
    statement: Statement,
    private readonly values: readonly string[],
  ) {
    this.name = statement.name;
    this.text = statement.text;
  }

  submit(connection: Connection): void {
    const protocol = connection as unknown as ExtendedProtocol;
    const { name, text, values } = this;
    // Sends all messages in one write.
    protocol.stream.cork();
    try {
      if (protocol.parsedStatements[name] === undefined) protocol.parse({ name, text });
      protocol.bind({ statement: name, values });
      protocol.execute();
      protocol.sync();
    } finally {
      protocol.stream.uncork();
    }
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.row ??= fields;
  }

  handleCommandComplete(): void {
    // The query ends with ReadyForQuery.
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.row);
  }
}
