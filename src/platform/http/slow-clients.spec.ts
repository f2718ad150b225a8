import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually } from '../../../test/support/eventually';
import { socketProgress } from './slow-clients';

/** More bytes than the network accepts for a client that does not read. */
const LARGE_WRITE = Buffer.alloc(64 * 1024 * 1024);

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
  it('returns how much of one large write the client has received', async () => {
    sender.write(LARGE_WRITE);
    const stuck = await eventually(() => {
      const progress = socketProgress(sender);
      return progress?.isBlocked === true && progress;
    });
    expect(stuck.takenBytes).toBeGreaterThan(0);
    expect(stuck.takenBytes).toBeLessThan(LARGE_WRITE.length);
    let readBytes = 0;
    reader.on('data', (part: Buffer) => {
      readBytes += part.length;
      if (readBytes > LARGE_WRITE.length / 2) reader.pause();
    });
    reader.resume();
    const further = await eventually(() => {
      const progress = socketProgress(sender);
      return (progress?.takenBytes ?? 0) > LARGE_WRITE.length / 2 && progress;
    });
    expect(further?.isBlocked).toBe(true);
    reader.removeAllListeners('data').resume();
    await eventually(() => socketProgress(sender)?.isBlocked === false);
    expect(socketProgress(sender)?.takenBytes).toBe(LARGE_WRITE.length);
  });

  it('returns null for a closed socket', async () => {
    sender.destroy();
    await once(sender, 'close');
    expect(socketProgress(sender)).toBeNull();
    expect(socketProgress(null)).toBeNull();
  });
});
