import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ConnectionDrain } from './connection-drain';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Requests that one client sends at once. */
const MANY = 20;
/** Longer than any test. */
const NEVER_MS = 3_600_000;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let server: Server;
let responses: ServerResponse[];
let isClosed: boolean;

/** The application that the drain closes. */
const application = {
  close: (): Promise<void> =>
    new Promise((resolve) => {
      isClosed = true;
      server.close(() => {
        resolve();
      });
    }),
};

beforeEach(async () => {
  responses = [];
  isClosed = false;
  server = createServer((_request, response) => responses.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.closeAllConnections();
});

async function open(): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  return socket;
}

/** Sends a request and waits until the server has received it. */
async function ask(socket: Socket): Promise<ServerResponse> {
  const asked = once(server, 'request');
  socket.write(GET);
  return (await asked)[1] as ServerResponse;
}

/** Sends a response and waits until the client has received it. */
async function respond(response: ServerResponse, socket: Socket): Promise<string> {
  const came = once(socket, 'data');
  response.end('done');
  return String((await came)[0]);
}

async function openIdle(): Promise<Socket> {
  const socket = await open();
  expect(await respond(await ask(socket), socket)).toContain('Connection: keep-alive');
  return socket;
}

describe('ConnectionDrain', () => {
  it('serves the next request of a connection and then closes it', async () => {
    const drain = new ConnectionDrain(server, NEVER_MS);
    const [first, second] = [await openIdle(), await openIdle()];
    const drained = drain.close(application, NEVER_MS);
    for (const socket of [first, second]) {
      const closed = once(socket, 'close');
      expect(isClosed).toBe(false);
      expect(await respond(await ask(socket), socket)).toContain('Connection: close');
      await closed;
    }
    expect(await drained).toBe(true);
  });

  it('serves one more request of a connection whose response had begun', async () => {
    const drain = new ConnectionDrain(server, NEVER_MS);
    const socket = await open();
    const response = await ask(socket);
    const began = once(socket, 'data');
    response.write('begun');
    await began;
    const drained = drain.close(application, NEVER_MS);
    const over = once(response, 'close');
    response.end();
    await over;
    const next = await ask(socket);
    let text = '';
    socket.on('data', (part: string) => (text += part));
    next.end();
    await once(socket, 'close');
    expect(text).toContain('Connection: close');
    expect(await drained).toBe(true);
  });

  it('closes an idle connection after a delay and accepts no new one', async () => {
    const drain = new ConnectionDrain(server, 1);
    const [idle, { port }] = [await openIdle(), server.address() as AddressInfo];
    const closed = once(idle, 'close');
    const drained = drain.close(application, NEVER_MS);
    const rejected = connect(port, '127.0.0.1');
    expect(((await once(rejected, 'error')) as Error[])[0]).toMatchObject({ code: 'ECONNREFUSED' });
    expect(await drained).toBe(true);
    await closed;
  });

  it('closes a connection with the response to the request in progress', async () => {
    const drain = new ConnectionDrain(server, NEVER_MS);
    const socket = await open();
    const response = await ask(socket);
    const drained = drain.close(application, NEVER_MS);
    expect(await respond(response, socket)).toContain('Connection: close');
    expect(await drained).toBe(true);
  });

  it('closes all connections when the time limit is over', async () => {
    const drain = new ConnectionDrain(server, NEVER_MS);
    const [asked, idle] = [await open(), await openIdle()];
    await ask(asked);
    const closed = Promise.all([once(asked, 'close'), once(idle, 'close')]);
    expect(await drain.close(application, 1)).toBe(false);
    await closed;
  });
});

describe('a closed client connection', () => {
  it('leaves no responses in memory, even after several requests at once', async () => {
    const drain = new ConnectionDrain(server);
    const socket = await open();
    socket.write(GET.repeat(MANY));
    while (responses.length < MANY) await turn();
    const held = responses.map((each) => new WeakRef(each));
    responses = [];
    socket.destroy();
    await once(socket, 'close');
    // Checked repeatedly: a response is held until its events have fired.
    const left = (): number => held.filter((each) => each.deref() !== undefined).length;
    for (let looks = 0; looks < 100 && left() > 0; looks += 1) {
      await turn();
      collectGarbage();
    }
    expect(left()).toBe(0);
    expect(await drain.close(application, NEVER_MS)).toBe(true);
  });
});
