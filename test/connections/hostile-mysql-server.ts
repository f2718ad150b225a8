import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Packets of a response. */
export type Reply = Buffer;

const [EOF_MARK, NULL_MARK, COM_QUERY] = [0xfe, 0xfb, 0x03];

export function packet(sequence: number, body: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(body.length, 0, 3);
  header[3] = sequence & 0xff;
  return Buffer.concat([header, body]);
}

function lengthOf(count: number): Buffer {
  if (count < NULL_MARK) return Buffer.from([count]);
  const bytes = Buffer.alloc(4);
  bytes[0] = 0xfd;
  bytes.writeUIntLE(count, 1, 3);
  return bytes;
}

function textOf(text: string | null): Buffer {
  if (text === null) return Buffer.from([NULL_MARK]);
  const bytes = Buffer.from(text);
  return Buffer.concat([lengthOf(bytes.length), bytes]);
}

const GREETING = packet(
  0,
  Buffer.concat([
    Buffer.from([10]),
    Buffer.from('8.0.30\0'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0'),
    Buffer.from([0xff, 0xf7, 45, 2, 0, 0xff, 0x81, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0mysql_native_password\0'),
  ]),
);

export const ok = (rows = 0, warnings = 0, sequence = 1): Reply =>
  packet(
    sequence,
    Buffer.concat([Buffer.from([0]), lengthOf(rows), Buffer.from([0, 2, 0, warnings, 0])]),
  );

/** A response after which another one follows. */
export const moreResults = (): Reply => packet(1, Buffer.from([0, 0, 0, 10, 0, 0, 0]));

/** An error of the server, whose text follows the number and the state. */
export const failure = (number: number, text: string): Reply =>
  packet(
    1,
    Buffer.concat([Buffer.from([0xff, number & 0xff, number >> 8]), Buffer.from(`#HY000${text}`)]),
  );

const end = (sequence: number): Buffer => packet(sequence, Buffer.from([EOF_MARK, 0, 0, 2, 0]));

/** A column of a response, many times. */
export function columnOf(sequence: number, name: string, count = 1): Buffer {
  const type = Buffer.from([0x0c, 45, 0, 255, 0, 0, 0, 253, 0, 0, 0, 0, 0]);
  const texts = ['def', '', '', '', name, ''].map(textOf);
  const column = packet(sequence, Buffer.concat([...texts, type]));
  return Buffer.alloc(count * column.length, column);
}

/** The beginning of a response with rows, without their end. */
export const columns = (names: readonly string[]): Reply =>
  Buffer.concat([
    packet(1, lengthOf(names.length)),
    ...names.map((name, index) => columnOf(index + 2, name)),
    end(names.length + 2),
  ]);

/** Many times the same row. */
export function sameRows(count: number, cells: readonly (string | null)[]): Buffer {
  const row = packet(9, Buffer.concat(cells.map(textOf)));
  return Buffer.alloc(count * row.length, row);
}

export const rows = (...found: readonly (readonly (string | null)[])[]): Reply =>
  Buffer.concat([
    columns((found[0] ?? ['']).map((_, index) => `c${String(index)}`)),
    ...found.map((cells) => sameRows(1, cells)),
    end(9),
  ]);

/** Returns the response to a statement; `undefined` for that of a server in order. */
export type Respond = (statement: string, bytes: number) => Reply | undefined;

/** A MySQL server that accepts every password and responds as a test says. */
export class HostileMysqlServer {
  readonly statements: string[] = [];
  /** Bytes of the largest statement. */
  largest = 0;
  greeting = GREETING;
  respond: Respond = () => undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HostileMysqlServer> {
    const server = createServer();
    const hostile = new HostileMysqlServer(server);
    server.on('connection', (socket) => {
      hostile.serve(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return hostile;
  }

  get login(): { user: string; password: string; database: string; port: number } {
    const { port } = this.server.address() as AddressInfo;
    return { user: 'a', password: 'b', database: 'c', port };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    let [pending, isIn] = [Buffer.alloc(0), false];
    socket.on('error', () => undefined).write(this.greeting);
    socket.on('data', (bytes) => {
      pending = Buffer.concat([pending, bytes]);
      while (pending.length >= 4 && pending.length >= 4 + pending.readUIntLE(0, 3)) {
        const length = pending.readUIntLE(0, 3);
        const body = pending.subarray(4, 4 + length);
        const sequence = (pending[3] ?? 0) + 1;
        pending = pending.subarray(4 + length);
        if (!isIn) socket.write(ok(0, 0, sequence));
        else if (body[0] === COM_QUERY) socket.write(this.reply(body.subarray(1)));
        isIn = true;
      }
    });
  }

  private reply(body: Buffer): Reply {
    this.largest = Math.max(this.largest, body.length);
    const statement = body.toString('utf8', 0, 1_000).trim();
    this.statements.push(statement);
    return this.respond(statement, body.length) ?? this.inOrder(statement, body);
  }

  private inOrder(statement: string, body: Buffer): Reply {
    if (statement.includes('max_allowed_packet')) return rows(['8.0.30', '4194304', '0']);
    if (/GET_LOCK|RELEASE_LOCK/.test(statement)) return rows(['1']);
    if (statement.includes('IS_USED_LOCK')) return rows([null]);
    if (statement.includes('TABLE_COMMENT')) return rows(['']);
    if (statement.startsWith('SELECT token')) return rows(['0', null, null, null, null]);
    if (statement.startsWith('SELECT')) return Buffer.concat([columns(['a']), end(3)]);
    const values = body.toString('latin1').split('),(').length;
    return ok(statement.startsWith('INSERT') ? values : 0);
  }
}
