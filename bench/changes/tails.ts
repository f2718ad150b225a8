import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { exampleValues } from '../data';
import { watchMemory } from '../memory';
import type { Bench } from '../prepare';
import type { ServerProcess } from '../server-process';
import { Api } from './api';
import { type Figure, quantile, watchCpu } from './figures';
import type { TailReport, TailRequest } from './tail-client';

const DATAGRIDS = 20;
const ROUNDS = 15;
const TAILS = 10_000;
const CLIENTS = 4;
const EVENTS = 5;
/** The service keeps connections for itself, so the limits are greater than the number of tails. */
const MANY_READERS = { MAX_LIVE_READERS: '21000', MAX_CONNECTIONS: '15000' };

/** Measures the time from a write to the readers who wait for it. */
export async function measureTails(bench: Bench): Promise<Figure[]> {
  const other = await bench.startService();
  try {
    return [
      await measureLatency(bench, bench.service, 'same instance', 100),
      await measureLatency(bench, other, 'another instance', 1_200),
    ];
  } finally {
    await other.stop();
  }
}

/** Writes to several datagrids at random times, and waits for the events of one instance. */
async function measureLatency(
  bench: Bench,
  reader: ServerProcess,
  where: string,
  maxMs: number,
): Promise<Figure> {
  const api = new Api(bench.service.port, bench.key);
  const ids: string[] = [];
  for (let n = 0; n < DATAGRIDS; n += 1) {
    ids.push(await bench.createDatagrid(`Tail ${String(n)}, ${where}`));
  }
  const tails = await Promise.all(ids.map((id) => Tail.open(reader.port, id, bench.key)));
  const cpu = watchCpu();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(
      tails.map(async (tail, index) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000));
        const event = tail.next();
        // The write is included: it is over a little after its commit.
        const startedMs = performance.now();
        const path = `/datagrids/${ids[index] ?? ''}/rows`;
        await api.send('POST', path, { values: exampleValues(round) });
        times.push((await event) - startedMs);
      }),
    );
  }
  for (const tail of tails) tail.close();
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return {
    measure: `live tail, from the write to its event, ${where}`,
    target: `p99 ≤ ${maxMs.toLocaleString('en')} ms`,
    measured: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    isMet: p99 <= maxMs,
    clientCpu: cpu(),
  };
}

/** A stream of events over a raw socket. */
class Tail {
  private onEvent: (atMs: number) => void = () => undefined;

  private constructor(
    private readonly socket: ReturnType<typeof connect>,
    private readonly request: string,
  ) {}

  static async open(port: number, datagridId: string, key: string): Promise<Tail> {
    const path = `/api/v1/public/datagrids/${datagridId}/changes?cursor=latest`;
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}`;
    const tail = new Tail(socket, `${head}\r\nAccept: text/event-stream\r\n\r\n`);
    const first = tail.next();
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('id: ')) tail.onEvent(performance.now());
    });
    socket.write(tail.request);
    await first;
    return tail;
  }

  /** Returns the time of the next event. */
  next(): Promise<number> {
    return new Promise((resolve) => {
      this.onEvent = resolve;
    });
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Measures memory, and the time of one event, with many readers of one datagrid. */
export async function measureIdleTails(bench: Bench): Promise<Figure[]> {
  const service = await bench.startService(undefined, MANY_READERS);
  const clients: ChildProcess[] = [];
  try {
    const api = new Api(service.port, bench.key);
    const datagridId = await bench.createDatagrid('Watched by many');
    const path = `/api/v1/public/datagrids/${datagridId}/changes?cursor=latest`;
    const write = (): Promise<unknown> =>
      api.send('POST', `/datagrids/${datagridId}/rows`, { values: exampleValues(1) });
    await write();
    const before = watchMemory(service.pid);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { peakMib: idleMib } = await before.end();
    const memory = watchMemory(service.pid);
    for (let n = 0; n < CLIENTS; n += 1) {
      const client = fork(join(__dirname, 'tail-client.js'));
      clients.push(client);
      const request: TailRequest = {
        port: service.port,
        localAddress: `127.0.0.${String(2 + n)}`,
        path,
        key: bench.key,
        count: TAILS / CLIENTS,
      };
      const opened = reports(client, 1);
      client.send(request);
      await opened;
    }
    const cpu = watchCpu(clients.map(({ pid }) => pid ?? 0));
    const times: number[] = [];
    for (let event = 2; event <= 1 + EVENTS; event += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const received = Promise.all(clients.map((client) => reports(client, event)));
      const startedMs = performance.timeOrigin + performance.now();
      await write();
      times.push(Math.max(...(await received)) - startedMs);
    }
    const clientCpu = cpu();
    const { peakMib } = await memory.end();
    const p50 = quantile(times, 0.5);
    const count = TAILS.toLocaleString('en');
    return [
      {
        measure: `${count} idle tails, resident memory of the service`,
        target: '≤ 300 MiB',
        measured: `${peakMib.toFixed(0)} MiB at most (${idleMib.toFixed(0)} MiB without tails)`,
        isMet: peakMib <= 300,
        clientCpu,
      },
      {
        measure: `${count} tails, from a write to the last event`,
        target: '≤ 300 ms',
        measured: `median ${p50.toFixed(0)} ms, ${Math.max(...times).toFixed(0)} ms at most`,
        isMet: p50 <= 300,
        clientCpu,
      },
    ];
  } finally {
    for (const client of clients) client.kill('SIGKILL');
    await service.stop();
  }
}

/** Waits until all tails of a client have had so many events. @returns the time of the last one. */
async function reports(client: ChildProcess, events: number): Promise<number> {
  for (;;) {
    const [report] = (await Promise.race([
      once(client, 'message'),
      once(client, 'exit').then(() => Promise.reject(new Error('A client has ended.'))),
    ])) as [TailReport];
    if (report.events >= events) return report.atMs;
  }
}
