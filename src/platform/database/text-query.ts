import type { Connection, Pool, PoolClient, Submittable } from 'pg';
import type { Statement } from './statement';

/** What PostgreSQL printed for each column of a row. */
export type TextRow = readonly (string | null)[];

type Callback = (error: Error | null, row?: TextRow) => void;

/** Parts of `pg` that its types leave out. */
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
 * Runs a prepared statement of which one row is wanted, and whose columns the caller knows: so
 * PostgreSQL need not describe them with every answer, nor `pg` make objects of them.
 * @returns undefined where there is no row.
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

/** What a client calls as the answer's messages come. */
class TextQuery implements Submittable {
  /** Set by the client that the query is handed to. */
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
    // One write for all.
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
    // The end is that the connection is ready again.
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.row);
  }
}
