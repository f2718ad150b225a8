import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually } from '../../../test/support/eventually';
import { socketProgress } from './socket-progress';

/** More bytes than the network accepts for a client that does not read. */
const MUCH = Buffer.alloc(64 * 1024 * 1024);

let server: Server;
let sender: Socket;
let reader: Socket;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  [sender] = (await once(server, 'connection')) as [Socket];
});

afterEach(() => {
  sender.destroy();
  reader.destroy();
  server.close();
});

describe('socketProgress', () => {
  it('tells how much of one large write a client has taken while it reads it', async () => {
    sender.write(MUCH);
    const stuck = await eventually(() => {
      const progress = socketProgress(sender);
      return progress?.isBlocked === true && progress;
    });
    expect(stuck.takenBytes).toBeGreaterThan(0);
    expect(stuck.takenBytes).toBeLessThan(MUCH.length);
    let readBytes = 0;
    reader.on('data', (part: Buffer) => {
      readBytes += part.length;
      if (readBytes > MUCH.length / 2) reader.pause();
    });
    reader.resume();
    const further = await eventually(() => {
      const progress = socketProgress(sender);
      return (progress?.takenBytes ?? 0) > MUCH.length / 2 && progress;
    });
    expect(further?.isBlocked).toBe(true);
    reader.removeAllListeners('data').resume();
    await eventually(() => socketProgress(sender)?.isBlocked === false);
    expect(socketProgress(sender)?.takenBytes).toBe(MUCH.length);
  });

  it('is null for a socket that is closed', async () => {
    sender.destroy();
    await once(sender, 'close');
    expect(socketProgress(sender)).toBeNull();
    expect(socketProgress(null)).toBeNull();
  });
});
