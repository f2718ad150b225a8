import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Cuts the connection of a partial response. Without chunks, which only HTTP/1.1 has, the body ends with
 * the connection, so the connection is reset: the client reports an error and does not take the part for
 * the whole.
 */
export function cutResponse(response: ServerResponse): void {
  const { socket, useChunkedEncodingByDefault: hasChunks } = response;
  // Node resets TCP connections only. TLS has its own mark of a complete stream.
  if (!hasChunks && socket instanceof Socket && !(socket instanceof TLSSocket)) {
    socket.resetAndDestroy();
  }
  response.destroy();
}
