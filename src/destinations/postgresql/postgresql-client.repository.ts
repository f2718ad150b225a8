import type { Duplex } from 'node:stream';
import type { Connection, Submittable } from 'pg';
import { GuardedClient, type GuardedClientConfig } from '../../platform/database/guarded-client';

/** Maximum number of messages of a response beside its rows, such as one for each statement. */
const MAX_MESSAGES = 1_000;
/** No statement of a destination returns more columns, unless it says so. */
const MAX_COLUMNS = 4;
/** Message of the error of a response that exceeds its limits. */
export const TOO_MUCH = 'The server sent too much.';
/** Maximum number of bytes of lines in one message. */
const PIECE_BYTES = 64 * 1024;

/** Maximum size of a response. */
export interface ResponseLimits {
  readonly rows: number;
  readonly bytes: number;
  /** Default: MAX_COLUMNS. */
  readonly columns?: number;
}

/** A message of the server, as `pg` passes it on. */
interface ServerMessage {
  readonly name: string;
  /** Number of columns, of a row or of the description of rows. */
  readonly fieldCount?: number;
}

/** Parts of `pg` that its types leave out. */
interface Attaching {
  attachListeners(stream: Duplex): void;
}
interface Copying extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/**
 * A client of a server that nobody trusts. It closes the connection in the middle of a response that
 * is too large, and takes nothing from the environment of the service. All values are texts.
 */
export class BoundedClient extends GuardedClient {
  private limits: ResponseLimits;
  private bytes = 0;
  private rows = 0;
  private messages = 0;

  /** @param handshake Maximum size of what the server sends before the first statement. */
  constructor(
    private readonly own: GuardedClientConfig & {
      readonly user: string;
      readonly database: string;
      readonly application_name: string;
      readonly password: () => string;
      readonly ssl: Exclude<GuardedClientConfig['ssl'], undefined>;
      readonly sslnegotiation: 'postgres';
    },
    handshake: ResponseLimits,
  ) {
    super({ ...own, types: { getTypeParser: () => String } });
    this.limits = handshake;
    const inner = this.connection as unknown as Attaching;
    const attach = inner.attachListeners.bind(inner);
    inner.attachListeners = (stream) => {
      // Before the parser, which gathers the parts of a message.
      stream.on('data', (chunk: Buffer) => {
        this.bytes += chunk.length;
        if (this.bytes > this.limits.bytes) this.destroy(new Error(TOO_MUCH));
      });
      attach(stream);
    };
    this.connection.on('message', (message: ServerMessage) => {
      this.count(message);
    });
  }

  /**
   * Returns what the client sends first. `pg` would add options of the environment of the service,
   * such as PGOPTIONS. The encoding of texts is always UTF-8.
   */
  getStartupConf(): Readonly<Record<string, string>> {
    const { user, database, application_name } = this.own;
    return { user, database, application_name };
  }

  /** Begins a statement whose response has limits. */
  expect(limits: ResponseLimits): void {
    this.limits = limits;
    [this.bytes, this.rows, this.messages] = [0, 0, 0];
  }

  /** @throws Error which stops the parser and closes the connection. */
  private count({ name, fieldCount = 0 }: ServerMessage): void {
    if (name === 'dataRow') this.rows += 1;
    else this.messages += 1;
    const isTooLarge = this.rows > this.limits.rows || this.messages > MAX_MESSAGES;
    if (isTooLarge || fieldCount > (this.limits.columns ?? MAX_COLUMNS)) throw new Error(TOO_MUCH);
  }
}

/** A COPY whose lines are sent by `send`. The server may end it at any time. */
export class CopyQuery implements Submittable {
  /** Resolves when the server waits for lines. */
  readonly accepted: Promise<void>;
  /** Resolves when the server has stored the lines. */
  readonly completed: Promise<void>;
  private accept: () => void = () => undefined;
  private complete: () => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;
  private connection: Copying | null = null;
  private isEnded = false;

  constructor(private readonly statement: string) {
    const accepted = new Promise<void>((resolve) => {
      this.accept = resolve;
    });
    this.completed = new Promise((resolve, reject) => {
      this.complete = resolve;
      this.reject = reject;
    });
    this.completed.catch(() => undefined);
    this.accepted = Promise.race([accepted, this.completed]);
    this.accepted.catch(() => undefined);
  }

  /** Sends lines. Resolves with each piece that the system has accepted. */
  *send(lines: Buffer): Generator<Promise<void>> {
    for (let at = 0; at < lines.length; at += PIECE_BYTES) {
      yield Promise.race([this.sendPiece(lines.subarray(at, at + PIECE_BYTES)), this.completed]);
    }
  }

  end(): void {
    this.isEnded = true;
    this.connection?.endCopyFrom();
  }

  /** Makes the server forget the lines. */
  cancel(): void {
    this.connection?.sendCopyFail('canceled');
  }

  submit(connection: Connection): void {
    this.connection = connection as Copying;
    connection.query(this.statement);
  }

  handleCopyInResponse(): void {
    this.accept();
  }

  handleCommandComplete(): void {
    // `handleReadyForQuery` follows.
  }

  handleReadyForQuery(): void {
    if (this.isEnded) this.complete();
    else this.handleError(new Error('The server ended a COPY early.'));
  }

  handleError(error: Error): void {
    this.connection = null;
    this.reject(error);
  }

  private async sendPiece(piece: Buffer): Promise<void> {
    const { connection } = this;
    if (!connection) return this.completed;
    connection.sendCopyFromChunk(piece);
    const { stream } = connection;
    if (!stream.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      stream.once('drain', resolve);
    });
  }
}
