import cluster from 'node:cluster';
import { join } from 'node:path';

/** Starts as many bare servers on one port as BARE_PROCESSES says, and sends their port to the parent. */
const count = Number(process.env['BARE_PROCESSES']);
cluster.schedulingPolicy = cluster.SCHED_RR;
cluster.setupPrimary({ exec: join(__dirname, '../bare-server.js') });
let ready = 0;
for (let started = 0; started < count; started += 1) {
  cluster.fork().on('message', (port: number) => {
    ready += 1;
    if (ready === count) process.send?.(port);
  });
}
process.once('SIGTERM', () => process.exit());
