import cluster from 'node:cluster';
import { Channel, JOIN, Supervisor } from './supervisor';

/**
 * Connects this process to the supervisor that has started it, and receives its order. Only workers
 * load this file, and with it the cluster module.
 */
export async function connectToSupervisor(): Promise<Supervisor> {
  const channel = new Channel((message) => {
    // Without a callback, a supervisor that has just ended would cause an uncaught exception.
    process.send?.(message, undefined, undefined, () => undefined);
  });
  const lost = new Promise<void>((resolve) => {
    cluster.worker?.once('disconnect', () => {
      // Otherwise Node ends this process at once, with the requests in progress.
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
      resolve();
    });
  });
  process.on('message', (message) => {
    channel.receive(message);
  });
  // The worker asks, because Node drops messages that arrive before this listener is there.
  const order = channel.call(JOIN, null);
  void lost.then(() => {
    channel.close();
  });
  return new Supervisor(await order, channel, lost);
}
