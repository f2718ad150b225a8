import type { ColumnarSession } from '../columnar/columnar-database';
import { TimedSession } from './timed-session';

/** A session whose calls end when they are interrupted, some even with a result. */
class FakeSession {
  interrupts = 0;
  isClosed = false;
  private end: (() => void) | undefined;

  call(): Promise<string> {
    return new Promise((resolve) => {
      this.end = () => {
        resolve('a part that looks complete');
      };
    });
  }

  interrupt(): void {
    this.interrupts += 1;
    this.end?.();
  }

  close(): void {
    this.isClosed = true;
  }

  kill(): void {
    throw new Error('The process was killed.');
  }
}

let fake: FakeSession;
let controller: AbortController;

beforeEach(() => {
  fake = new FakeSession();
  controller = new AbortController();
});

const late = (): Error => new Error('Too late.');
const GONE = 'The client closed the connection.';

function start(timeoutMs = 60_000): TimedSession {
  const limits = { timeoutMs, signal: controller.signal };
  return new TimedSession(fake as unknown as ColumnarSession, limits, late);
}

describe('a session of a statement', () => {
  it('interrupts a call that takes too long, and rejects it and later ones', async () => {
    const statement = start(1);
    await expect(statement.run(() => fake.call())).rejects.toThrow('Too late.');
    await expect(statement.run(() => Promise.resolve(1))).rejects.toThrow('Too late.');
    await statement.end();
    expect(fake.isClosed).toBe(true);
  });

  it('interrupts a call whose client disconnects', async () => {
    const statement = start();
    const call = statement.run(() => fake.call());
    controller.abort();
    await expect(call).rejects.toThrow(GONE);
    await statement.end();
  });

  it('runs nothing for a client that has already disconnected', async () => {
    controller.abort();
    const statement = start();
    const run = jest.fn(() => Promise.resolve(1));
    await expect(statement.run(run)).rejects.toThrow(GONE);
    expect(run).not.toHaveBeenCalled();
    await statement.end();
  });

  it('rejects the call in progress and later ones when it ends', async () => {
    const statement = start();
    const call = statement.run(() => fake.call());
    const ended = statement.end();
    await expect(call).rejects.toThrow(GONE);
    await ended;
    const run = jest.fn(() => Promise.resolve(1));
    await expect(statement.run(run)).rejects.toThrow(GONE);
    expect(run).not.toHaveBeenCalled();
    await statement.end();
  });
});
