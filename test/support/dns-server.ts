import { createSocket, type Socket } from 'node:dgram';

const TYPE_A = 1;
const HEADER_BYTES = 12;
const NO_ERROR = 0x8180;
const NO_SUCH_NAME = 0x8183;

/** A name server on this machine for IPv4 addresses. It knows every name, or is silent. */
export class DnsServer {
  /** Names for which an address was requested. */
  readonly asked: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly answers: readonly (readonly string[])[] | 'silent',
  ) {}

  /**
   * @param answers Addresses that the requests for an address get, one after another; the last ones
   * also serve all later requests. No addresses mean that the name does not exist.
   */
  static async start(answers: readonly (readonly string[])[] | 'silent'): Promise<DnsServer> {
    const socket = createSocket('udp4');
    const server = new DnsServer(socket, answers);
    socket.on('message', (request, { port, address }) => {
      const response = server.respond(request);
      if (response) socket.send(response, port, address);
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  /** Address and port. */
  get address(): string {
    return `127.0.0.1:${String(this.socket.address().port)}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.socket.close(resolve);
    });
  }

  private respond(request: Buffer): Buffer | null {
    let end = HEADER_BYTES;
    const labels: string[] = [];
    for (let length = request[end] ?? 0; length > 0; length = request[end] ?? 0) {
      labels.push(request.toString('latin1', end + 1, end + 1 + length));
      end += 1 + length;
    }
    const question = request.subarray(HEADER_BYTES, end + 5);
    const isForAddress = request.readUInt16BE(end + 1) === TYPE_A;
    if (isForAddress) this.asked.push(labels.join('.'));
    if (this.answers === 'silent') return null;
    const turn = Math.min(Math.max(0, this.asked.length - 1), this.answers.length - 1);
    const addresses = this.answers[turn] ?? [];
    const records = isForAddress ? addresses.map(recordOf) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    request.copy(header, 0, 0, 2);
    header.writeUInt16BE(addresses.length > 0 ? NO_ERROR : NO_SUCH_NAME, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, question, ...records]);
  }
}

/** An A record of the name in the question, which must not be cached. */
const recordOf = (address: string): Buffer =>
  Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
