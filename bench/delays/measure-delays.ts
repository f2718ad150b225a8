import { median } from '../median';
import type { Bench } from '../prepare';
import type { LongestDelay } from '../delay-watch';
import { markdownTable } from '../table';
import { DelayClient } from './delay-client';
import { type LargestInput, largestInputs } from './largest-inputs';

/** Of each request, after one that is not counted. */
const TIMES = 5;

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Measures how long each request delays the event loop, and so all requests that the process serves.
 * @param only Part of the names of the inputs to measure. All of them by default.
 * @returns a table, sorted by busy time, the longest first.
 */
export async function measureDelays(bench: Bench, step: Step, only?: string): Promise<string> {
  const server = await bench.startService();
  try {
    const client = new DelayClient(bench, server);
    const lines: (readonly [number, readonly string[]])[] = [];
    for (const group of largestInputs(bench)) {
      if (only !== undefined && !group.name.includes(only)) continue;
      await step(group.name, async () => {
        for (const input of await group.prepare(client)) lines.push(await measure(client, input));
      });
    }
    const sorted = lines.sort(([a], [b]) => b - a).map(([, cells]) => cells);
    return markdownTable(
      ['request', 'bytes', 'of response', 'time ms', 'delay ms', 'longest ms', 'busy ms'],
      sorted,
    );
  } finally {
    await server.stop();
  }
}

async function measure(
  client: DelayClient,
  { name, request }: LargestInput,
): Promise<readonly [number, readonly string[]]> {
  const delays: LongestDelay[] = [];
  const times: number[] = [];
  const sizes = { sent: 0, received: 0 };
  for (let turn = 0; turn <= TIMES; turn += 1) {
    const sent = request(turn);
    await client.server.longestDelay();
    const started = performance.now();
    const answer = await client.send(sent);
    const tookMs = performance.now() - started;
    const delay = await client.server.longestDelay();
    if (answer.status >= 300) {
      throw new Error(`${name}: ${String(answer.status)} ${answer.text.slice(0, 500)}`);
    }
    if (turn > 0) {
      delays.push(delay);
      times.push(tookMs);
    }
    Object.assign(sizes, { sent: answer.sentBytes, received: answer.bytes });
  }
  const delaysMs = delays.map(({ delayMs }) => delayMs);
  const busyMs = Math.max(...delays.map((each) => each.busyMs));
  const bytes = [sizes.sent, sizes.received].map((count) => count.toLocaleString('en'));
  const time = median(times);
  process.stdout.write(`  ${name}: ${delaysMs.map(rounded).join(', ')} of ${rounded(time)} ms\n`);
  const figures = [time, median(delaysMs), Math.max(...delaysMs), busyMs];
  return [busyMs, [name, ...bytes, ...figures.map(rounded)]];
}

const rounded = (ms: number): string => ms.toFixed(0);
