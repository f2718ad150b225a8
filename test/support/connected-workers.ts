import { Channel, Supervisor } from '../../src/platform/workers/supervisor';

/** A worker in this process, and the end of its channel that belongs to the supervisor. */
export interface ConnectedWorker {
  readonly id: number;
  readonly supervisor: Supervisor;
  readonly channel: Channel;
  /** Ends the supervisor, as the worker sees it. */
  lose(): void;
}

/** Connects workers in this process, whose messages arrive as JSON in a later turn of the event loop. */
export function connectedWorkers(count: number): ConnectedWorker[] {
  return Array.from({ length: count }, (_, index) => connectedWorker(index + 1));
}

function connectedWorker(number: number): ConnectedWorker {
  const ofWorker: Channel = new Channel((message) => {
    pass(message, channel);
  });
  const channel: Channel = new Channel((message) => {
    pass(message, ofWorker);
  });
  let lose = (): void => undefined;
  const lost = new Promise<void>((resolve) => {
    lose = () => {
      ofWorker.close();
      resolve();
    };
  });
  const order = { number, port: 0, databaseUrl: '', isEmbedded: false, isFirst: number === 1 };
  return { id: number, supervisor: new Supervisor(order, ofWorker, lost), channel, lose };
}

function pass(message: object, to: Channel): void {
  const text = JSON.stringify(message);
  setImmediate(() => {
    to.receive(JSON.parse(text));
  });
}
