import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import pg, {
  type ClientBase,
  type Connection,
  type Pool,
  type PoolClient,
  type Submittable,
} from 'pg';
import { to } from 'pg-copy-streams';

/** PostgreSQL's text output for each column of a row. */
export type TextRow = readonly (string | null)[];

type Callback = (error: Error | null) => void;

/** Parts of `pg` that its type definitions omit. */
interface ExtendedProtocol {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(message: { name: string; text: string }): void;
  bind(message: {
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
  }): void;
  execute(): void;
  sync(): void;
}

interface Submitting {
  query(query: Submittable, values: undefined, callback: Callback): void;
}

/** Converts a parameter as `pg` does for its own queries, such as an array to an array literal. */
const { prepareValue } = (
  pg as unknown as { readonly utils: { readonly prepareValue: (value: unknown) => unknown } }
).utils;

/**
 * Runs a statement that returns at most one row, whose columns the caller knows. PostgreSQL does
 * not describe the columns with each response, and `pg` does not build objects.
 * @param statement It is prepared unless its name is empty.
 * @returns `undefined` if there is no row.
 */
export async function queryText(
  target: Pool | PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<TextRow | undefined> {
  const { rows, error } = await queryTexts(target, statement, [values]);
  if (error) throw error;
  return rows[0];
}

/** Results of a statement that was run several times, in order, up to the first error. */
export interface TextResults {
  /** One element for each execution that succeeded; `undefined` if it returned no row. */
  readonly rows: readonly (TextRow | undefined)[];
  /** Error of the next execution. PostgreSQL did not run those after it. */
  readonly error: Error | null;
}

/**
 * Like `queryText`, for several executions of a statement that only reads. All are sent in one message
 * exchange, so that both sides write to the socket once. Each has its own snapshot.
 * @param valuesOfEach The parameters of each execution.
 */
export async function queryTexts(
  target: Pool | PoolClient,
  statement: Statement,
  valuesOfEach: readonly (readonly unknown[])[],
): Promise<TextResults> {
  return new Promise((resolve) => {
    const query = new TextQuery(statement, valuesOfEach);
    (target as unknown as Submitting).query(query, undefined, (error) => {
      resolve({ rows: query.rows, error });
    });
  });
}

/**
 * Yields the output of a `COPY … TO STDOUT`. Starts it once it is read, and reads the rest if the reader
 * stops early: the connection takes no other statement before the end.
 */
export async function* copyFrom(client: ClientBase, statement: string): AsyncGenerator<Buffer> {
  const output: Readable = client.query(to(statement));
  try {
    yield* output.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } finally {
    if (!output.readableEnded && !output.destroyed) {
      output.resume();
      await finished(output).catch(() => undefined);
    }
  }
}

/** A query whose handlers `pg` calls as the messages of the response arrive. */
class TextQuery implements Submittable {
  /** Set by the client that runs the query. */
  callback!: Callback;
  readonly name: string;
  readonly text: string;
  /** Rows of the executions that are complete. */
  readonly rows: (TextRow | undefined)[] = [];
  private row: TextRow | undefined;

  constructor(
    statement: Statement,
    private readonly valuesOfEach: readonly (readonly unknown[])[],
  ) {
    this.name = statement.name;
    this.text = statement.text;
  }

  submit(connection: Connection): void {
    const protocol = connection as unknown as ExtendedProtocol;
    const { name, text } = this;
    // Sends all messages in one write.
    protocol.stream.cork();
    try {
      if (protocol.parsedStatements[name] === undefined) protocol.parse({ name, text });
      for (const values of this.valuesOfEach) {
        protocol.bind({ statement: name, values, valueMapper: prepareValue });
        protocol.execute();
      }
      protocol.sync();
    } finally {
      protocol.stream.uncork();
    }
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.row ??= fields;
  }

  handleCommandComplete(): void {
    this.rows.push(this.row);
    this.row = undefined;
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }
}

/**
 * SQL statement. A statement with a name is prepared: each connection parses and plans it once
 * (`plan_cache_mode = force_generic_plan`). The name must be unique to the text. If the name is empty,
 * the statement is not prepared.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Text for tables that Citus distributes, if it differs. */
  readonly distributedText?: string;
}

/** Builds the texts of a statement that differs on Citus. */
export function textsOf(
  build: (isDistributed: boolean) => string,
): Pick<Statement, 'text' | 'distributedText'> {
  return { text: build(false), distributedText: build(true) };
}
