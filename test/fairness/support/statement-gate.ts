import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Connections whose statement is held. */
export interface Held {
  readonly now: number;
  /** The most at the same time since `hold`. */
  readonly most: number;
  /** What these began with, in printable characters: names and parameters, or SQL. */
  readonly texts: readonly string[];
}

/** A text that is longer could be missed if it arrives in two parts. */
const MAX_TEXT_BYTES = 64;
const MAX_PRINTED_BYTES = 300;
/** Beginnings of the names of statements of background work. They are not held: no request waits for them. */
const BACKGROUND = ['webhook-lane', 'column-reads-store'];

/**
 * A proxy between an instance and PostgreSQL. It holds the statements with certain texts, such as the
 * id of a datagrid, as if they took long.
 */
export class StatementGate {
  private texts: readonly string[] = [];
  /** Number of calls of `hold`. */
  private holds = 0;
  private most: readonly string[] = [];
  /** Data of each connection that waits. */
  private readonly waiting = new Map<Socket, Buffer[]>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly socketPath: string,
  ) {
    server.on('connection', (socket) => {
      this.accept(socket);
    });
  }

  /** @param socketPath Unix socket of PostgreSQL */
  static async start(socketPath: string): Promise<StatementGate> {
    const server = createServer({ noDelay: true });
    const gate = new StatementGate(server, socketPath);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gate;
  }

  get databaseUrl(): string {
    const { port } = this.server.address() as AddressInfo;
    return `postgres://app@127.0.0.1:${String(port)}/postgres`;
  }

  get held(): Held {
    return { now: this.waiting.size, most: this.most.length, texts: this.most };
  }

  /** Holds every connection from the next statement on that contains one of the texts. */
  hold(texts: readonly string[]): void {
    if (texts.some((text) => text === '' || text.length > MAX_TEXT_BYTES)) {
      throw new Error(`Cannot hold statements with one of ${JSON.stringify(texts)}.`);
    }
    this.texts = texts;
    this.holds += 1;
    this.most = [];
  }

  /** Passes on what was held. */
  release(): void {
    this.texts = [];
    for (const [far, chunks] of this.waiting) for (const chunk of chunks) far.write(chunk);
    this.waiting.clear();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(near: Socket): void {
    const far = connect(this.socketPath);
    let tail: Buffer = Buffer.alloc(0);
    let { holds } = this;
    near.on('data', (chunk: Buffer) => {
      // What came before `hold` has been passed on.
      const searched = holds === this.holds ? Buffer.concat([tail, chunk]) : chunk;
      ({ holds } = this);
      tail = searched.subarray(-MAX_TEXT_BYTES);
      const waiting = this.waiting.get(far);
      if (waiting) waiting.push(chunk);
      else if (this.isHeld(searched, chunk)) this.keep(far, chunk);
      else if (!far.write(chunk)) {
        near.pause();
        far.once('drain', () => near.resume());
      }
    });
    far.pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        this.waiting.delete(far);
        other.destroySoon();
      });
    }
  }

  private isHeld(searched: Buffer, chunk: Buffer): boolean {
    const isOf = (text: string): boolean => searched.includes(text);
    return this.texts.some(isOf) && !BACKGROUND.some((name) => chunk.includes(name));
  }

  private keep(far: Socket, chunk: Buffer): void {
    this.waiting.set(far, [chunk]);
    if (this.waiting.size <= this.most.length) return;
    this.most = [...this.waiting.values()].map(([first]) => printable(first));
  }
}

const printable = (chunk: Buffer | undefined): string =>
  String(chunk?.toString('latin1', 0, MAX_PRINTED_BYTES)).replace(/[^ -~]+/g, ' ');
