import { call, Channel, ChannelClosedError } from './supervisor';

const DOUBLE = call<number, number>('double');
const NOTE = call<string>('note');

/** Returns both ends of a connection. Messages arrive as JSON, in the next turn. */
function connected(): [Channel, Channel] {
  const ends: Channel[] = [];
  const sendTo = (index: number) => (message: object) => {
    const text = JSON.stringify(message);
    setImmediate(() => {
      ends[index]?.receive(JSON.parse(text));
    });
  };
  ends.push(new Channel(sendTo(1)), new Channel(sendTo(0)));
  return ends as [Channel, Channel];
}

describe('Channel', () => {
  it('responds to calls from both ends, in any order', async () => {
    const [one, other] = connected();
    const waits: (() => void)[] = [];
    other.handle(DOUBLE, async (n) => {
      if (n === 1) await new Promise<void>((resolve) => waits.push(resolve));
      return 2 * n;
    });
    one.handle(DOUBLE, (n) => 20 * n);
    const first = one.call(DOUBLE, 1);
    expect(await one.call(DOUBLE, 2)).toBe(4);
    expect(await other.call(DOUBLE, 3)).toBe(60);
    for (const release of waits) release();
    expect(await first).toBe(2);
  });

  it('passes on the message of a handler that fails', async () => {
    const [one, other] = connected();
    other.handle(DOUBLE, () => {
      throw new Error('no numbers');
    });
    await expect(one.call(DOUBLE, 1)).rejects.toThrow('no numbers');
  });

  it('sends no response to what it is told', async () => {
    const sent: object[] = [];
    const end = new Channel((message) => sent.push(message));
    const told = new Promise<string>((resolve) => {
      end.handle(NOTE, resolve);
    });
    end.receive({ call: 'note', request: 'hello' });
    expect(await told).toBe('hello');
    await new Promise(setImmediate);
    expect(sent).toEqual([]);
  });

  it('fails calls that wait, and later ones, once the other process has ended', async () => {
    const end = new Channel(() => undefined);
    const waiting = end.call(DOUBLE, 1);
    end.close();
    await expect(waiting).rejects.toThrow(ChannelClosedError);
    await expect(end.call(DOUBLE, 1)).rejects.toThrow(ChannelClosedError);
  });

  it('ignores messages of Node and of libraries', () => {
    const end = new Channel(() => {
      throw new Error('nothing is sent');
    });
    for (const message of ['text', null, 7, { cmd: 'NODE_CLUSTER' }]) end.receive(message);
  });
});
