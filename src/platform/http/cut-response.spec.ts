import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { cutResponse } from './cut-response';

let server: Server;
/** The response of the current request, which has sent a part. */
let response: ServerResponse;

beforeAll(async () => {
  server = createServer((_request, started) => {
    response = started;
    started.write('part');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => server.close());

/** Returns the code of the error with which the connection of a request ends, if any. */
async function endOf(version: string): Promise<string | undefined> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let code: string | undefined;
  socket.on('error', (error: NodeJS.ErrnoException) => ({ code } = error));
  socket.write(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`);
  await once(socket, 'data');
  cutResponse(response);
  await new Promise((resolve) => socket.once('close', resolve));
  return code;
}

describe('cutResponse', () => {
  it.each(['0.9', '1.0', '2.0'])(
    'resets the connection of a client of HTTP/%s',
    async (version) => {
      expect(await endOf(version)).toBe('ECONNRESET');
    },
  );

  it('closes the connection of a client of HTTP/1.1, which finds no last chunk', async () => {
    expect(await endOf('1.1')).toBeUndefined();
  });
});
