import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ConnectionDrain } from './connection-drain';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MANY = 20;

describe('promise 49: what a connection leaves behind when it is gone', () => {
  it('are no answers, also where several were asked for at once', async () => {
    const answers: WeakRef<ServerResponse>[] = [];
    const server = createServer((_request, answer) => {
      answers.push(new WeakRef(answer));
    });
    const drain = new ConnectionDrain(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(MANY));
    while (answers.length < MANY) await turn();
    socket.destroy();
    await once(socket, 'close');
    // Looked at more than once: an answer is held until its events are over.
    const left = (): number => answers.filter((answer) => answer.deref() !== undefined).length;
    for (let looks = 0; looks < 100 && left() > 0; looks += 1) {
      await turn();
      collectGarbage();
    }
    expect(left()).toBe(0);
    const close = (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    expect(await drain.close({ close }, 5_000)).toBe(true);
  });
});
