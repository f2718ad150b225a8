import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CsvLines,
  SyncState,
  TargetColumn,
  TargetWriter,
} from '../../src/connections/destination/destination';
import { csv } from './destination-contract';
import { createFiles, inCopy } from './duckdb-files';

const KILLS = 50;
const ROWS = 20_000;
const MAX_DELAY_MS = 1_500;

const text: TargetColumn = { id: 1, name: 'text', type: 'text' };
const ratio: TargetColumn = { id: 2, name: 'ratio', type: 'double' };
const widened: TargetColumn = { ...ratio, type: 'text' };
const extra: TargetColumn = { id: 3, name: 'extra', type: 'integer' };

function lines(from: number, to: number, cells: (id: number) => string[]): CsvLines {
  return csv(Array.from({ length: to - from }, (_, n) => [String(from + n), ...cells(from + n)]));
}

/** The steps of a cycle. A state is the number of a step, over all cycles, that is done. */
const STEPS: readonly ((writer: TargetWriter, cycle: number, state: SyncState) => Promise<void>)[] =
  [
    (writer, _, state) => writer.beginLoad([text, ratio], state),
    (writer, cycle, state) =>
      writer.append(
        [text, ratio],
        lines(1, ROWS / 2 + 1, () => [String(cycle), 'loaded', '1.5']),
        state,
      ),
    (writer, cycle, state) =>
      writer.append(
        [text, ratio],
        lines(ROWS / 2 + 1, ROWS + 1, () => [String(cycle), 'loaded', '1.5']),
        state,
      ),
    (writer, _, state) => writer.finishLoad([text, ratio], state),
    (writer, cycle, state) =>
      writer.merge(
        [text, ratio],
        lines(ROWS - 999, ROWS + 1_001, (id) =>
          id % 2 === 0
            ? [String(cycle + 1), 'true', '', '0']
            : [String(cycle + 1), 'false', 'merged', '2'],
        ),
        state,
      ),
    (writer, cycle, state) =>
      writer.replace(
        [text, ratio],
        { from: 1, to: 1_000 },
        lines(1, 501, () => [String(cycle + 2), 'replaced', '3']),
        state,
      ),
    (writer, _, state) =>
      writer.changeColumns({ removed: [], widened: [widened], added: [extra] }, state),
  ];

/** Returns what a reader must see after a step: rows, distinct ids, rows by text, type of `ratio`. */
function expected(done: number): unknown {
  const cycle = Math.floor(done / STEPS.length);
  const step = done % STEPS.length;
  // A load changes nothing until it is finished.
  const [of, last] = step < 3 ? [cycle - 1, STEPS.length - 1] : [cycle, step];
  if (of < 0) return null;
  const loaded = ROWS - (last >= 4 ? 1_000 : 0) - (last >= 5 ? 1_000 : 0);
  const merged = last >= 4 ? 1_000 : 0;
  const replaced = last >= 5 ? 500 : 0;
  const total = loaded + merged + replaced;
  const revisions = loaded * of + merged * (of + 1) + replaced * (of + 2);
  return [total, total, loaded, merged, replaced, revisions, last >= 6 ? 'VARCHAR' : 'DOUBLE'];
}

async function actual(path: string): Promise<unknown> {
  return inCopy(path, async (connection) => {
    const tables = await connection.runAndReadAll(
      "SELECT 1 FROM duckdb_tables() WHERE table_name = 'orders'",
    );
    if (tables.currentRowCount === 0) return null;
    const result = await connection.runAndReadAll(
      `SELECT count(*)::DOUBLE, count(DISTINCT _id)::DOUBLE,
         (count(*) FILTER (text = 'loaded'))::DOUBLE, (count(*) FILTER (text = 'merged'))::DOUBLE,
         (count(*) FILTER (text = 'replaced'))::DOUBLE, sum(_revision)::DOUBLE, typeof(any_value(ratio))
       FROM orders`,
    );
    return result.getRowsJson()[0];
  });
}

async function childrenOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return list.split(' ').filter(Boolean).map(Number);
}

it(
  'has the rows of its state after each of 50 kills at random times',
  async () => {
    const files = await createFiles();
    const accountId = randomUUID();
    const target = { accountId, connectionId: '', settings: { file: 'sales' }, secret: null };
    const destination = files.kind.create(target);
    const table = { id: randomUUID(), name: 'orders', deletions: 'delete' as const };
    const reached = new Set<number>();
    let attempted = -1;
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = new Set(await childrenOf(process.pid));
        const writer = await destination.open(table);
        const [pid = 0] = (await childrenOf(process.pid)).filter((each) => !before.has(each));
        const state = await writer.claim(kill + 1);
        const done = state === null ? -1 : Number(state);
        expect(done === attempted || done === attempted - 1).toBe(true);
        reached.add(done % STEPS.length);
        const seen = await actual(files.path(accountId));
        expect([done, seen]).toEqual([done, done < 0 ? null : expected(done)]);

        const killed = sleep(Math.random() * MAX_DELAY_MS).then(() => process.kill(pid, 'SIGKILL'));
        attempted = done;
        try {
          for (;;) {
            attempted += 1;
            const step = STEPS[attempted % STEPS.length];
            await step?.(writer, Math.floor(attempted / STEPS.length), String(attempted));
          }
        } catch (error) {
          expect(error).toMatchObject({ kind: 'unavailable' });
        }
        await killed;
        await writer.close();
      }
      expect(attempted).toBeGreaterThan(2 * STEPS.length);
      expect(reached.size).toBeGreaterThan(3);
    } finally {
      await files.remove();
    }
  },
  10 * 60_000,
);
