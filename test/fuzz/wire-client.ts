import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longer than any response takes on a busy machine. */
const PATIENCE_MS = 120_000;

export interface Delivery {
  readonly bytes: Buffer;
  readonly parts: number;
  /** The client leaves after this many bytes of the request. */
  readonly leavesAfterSent?: number | undefined;
  /** The client leaves after this many bytes of the response. */
  readonly leavesAfterReceived?: number | undefined;
  readonly halfCloses: boolean;
  readonly resets: boolean;
}

/**
 * Sends bytes on a connection of its own, and returns what came back until the server closed the
 * connection, or the client left.
 * @throws Error if neither happens in time.
 */
export async function exchange(port: number, delivery: Delivery): Promise<Buffer> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let received = 0;
  const { leavesAfterReceived = Infinity } = delivery;
  // The server may close or reset the connection at any time: it then answers with what came before.
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (received >= leavesAfterReceived) leave(socket, delivery.resets);
  });
  socket.on('end', () => socket.end());
  const closed = new Promise<boolean>((resolve) => {
    socket.setTimeout(PATIENCE_MS, () => {
      resolve(false);
      socket.destroy();
    });
    socket.on('close', () => {
      resolve(true);
    });
  });
  await send(socket, delivery);
  if (!(await closed)) throw new Error('neither a response nor the end of the connection in time');
  return Buffer.concat(chunks);
}

async function send(socket: Socket, delivery: Delivery): Promise<void> {
  const { bytes, parts, leavesAfterSent, halfCloses, resets } = delivery;
  const sent = bytes.subarray(0, leavesAfterSent);
  const size = Math.max(1, Math.ceil(sent.length / Math.min(parts, MAX_PARTS)));
  for (let at = 0; at < sent.length && !socket.destroyed; at += size) {
    socket.write(sent.subarray(at, at + size));
    // The kernel sends the part, unless the process writes more in the same turn.
    if (parts > 1) await nextTurn();
  }
  if (leavesAfterSent !== undefined) leave(socket, resets);
  else if (halfCloses) socket.end();
}

const MAX_PARTS = 500;

function leave(socket: Socket, resets: boolean): void {
  if (socket.destroyed) return;
  if (socket.connecting) socket.once('connect', () => socket.destroy());
  else if (resets) socket.resetAndDestroy();
  else socket.destroy();
}

/**
 * Returns the statuses of the responses in what came back.
 * @param methods Methods of the requests, in their order.
 * @throws Error if it does not consist of responses. The last one may be incomplete.
 */
export function statusesOf(bytes: Buffer, methods: readonly string[]): number[] {
  const text = bytes.toString('latin1');
  const statuses: number[] = [];
  for (let at = 0, request = 0; at < text.length;) {
    const rest = text.slice(at, at + 16);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(rest)?.[1]);
    if (!(status >= 100)) {
      // The client may have left within the first line.
      if ('HTTP/1.1'.startsWith(rest.slice(0, 8))) break;
      throw new Error(`no response: ${JSON.stringify(text.slice(at, at + 200))}`);
    }
    const head = /^.*?\r\n\r\n/s.exec(text.slice(at, at + 65_536))?.[0];
    if (head === undefined) break;
    at += head.length;
    if (status < 200) continue;
    statuses.push(status);
    const isBodiless = methods[request] === 'HEAD' || status === 204 || status === 304;
    request += 1;
    if (!isBodiless) at = endOfBody(text, at, head);
  }
  return statuses;
}

function endOfBody(text: string, start: number, head: string): number {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) return start + Number(length);
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) return text.length;
  let at = start;
  for (;;) {
    const line = /^([\da-f]+)\r\n/i.exec(text.slice(at, at + 20));
    if (!line) return text.length;
    const size = parseInt(line[1] ?? '', 16);
    at += line[0].length;
    if (size > 0) {
      at += size + 2;
      continue;
    }
    // Trailers
    const end = text.startsWith('\r\n', at) ? at : text.indexOf('\r\n\r\n', at) + 2;
    return end < 2 ? text.length : end + 2;
  }
}
