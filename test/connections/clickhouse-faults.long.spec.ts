import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { ClickhouseDestination } from '../../src/connections/destination/clickhouse/clickhouse-kind';
import {
  DELETION_MODES,
  type DeletionMode,
  type SyncState,
  type TargetColumn,
  type TargetTable,
  type TargetWriter,
} from '../../src/connections/destination/destination';
import { ClickhouseEngine, describeWithClickhouse } from '../support/clickhouse/clickhouse-engine';
import { accessOf, readTable } from './clickhouse-server';
import { csv, type ReadRow } from './destination-contract';

/** With `KILLS=50`, each test takes some five minutes. */
const KILLS = Number(process.env['KILLS'] ?? '6');
const MAX_BYTES = 120_000;

/** Forwards connections. After a number of bytes in both directions, cuts all and accepts no more. */
class CuttingProxy {
  private readonly sockets = new Set<Socket>();
  private left = Infinity;
  private onCut: () => void = () => undefined;

  private constructor(private readonly server: Server) {}

  static async start(target: () => number): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => {
      if (proxy.left <= 0) {
        client.destroy();
        return;
      }
      const upstream = connect(target(), '127.0.0.1');
      proxy.forward(client, upstream);
      proxy.forward(upstream, client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  cutAfter(bytes: number, onCut: () => void): void {
    this.left = bytes;
    this.onCut = onCut;
  }

  heal(): void {
    this.left = Infinity;
  }

  async close(): Promise<void> {
    this.server.close();
    this.cut();
    await once(this.server, 'close');
  }

  private forward(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.on('error', () => undefined);
    from.once('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    from.on('data', (part: Buffer) => {
      if (this.left <= 0) return;
      to.write(part.subarray(0, this.left));
      this.left -= part.length;
      if (this.left > 0) return;
      this.onCut();
      // What was written before is sent.
      setImmediate(() => {
        this.cut();
      });
    });
  }

  private cut(): void {
    for (const socket of this.sockets) socket.destroySoon();
  }
}

const text: TargetColumn = { id: 1, name: 'text', type: 'text' };
const ratio: TargetColumn = { id: 2, name: 'ratio', type: 'double' };
const widened: TargetColumn = { ...ratio, type: 'text' };
const extra: TargetColumn = { id: 3, name: 'extra', type: 'integer' };

/** A line of a step. It has no values if the row is deleted. */
interface Line {
  readonly id: number;
  readonly revision: number;
  readonly values: readonly string[] | null;
}

const linesOf = (
  [from, to]: readonly [number, number],
  revision: number,
  values: (id: number) => readonly string[] | null,
): Line[] =>
  Array.from({ length: to - from + 1 }, (_, n) => ({
    id: from + n,
    revision,
    values: values(from + n),
  }));

const loads = (lines: readonly Line[]): ReturnType<typeof csv> =>
  csv(lines.map(({ id, revision, values }) => [String(id), String(revision), ...(values ?? [])]));

const changes = (
  lines: readonly Line[],
  columns: readonly TargetColumn[],
): ReturnType<typeof csv> =>
  csv(
    lines.map(({ id, revision, values }) => [
      String(id),
      String(revision),
      String(values === null),
      ...(values ?? columns.map(() => null)),
    ]),
  );

interface ModelRow {
  revision: number;
  values: ReadonlyMap<string, unknown>;
  isDeleted: boolean;
}

/** What a table has, by the words of the interface. */
class Model {
  columns: readonly TargetColumn[] = [];
  rows: Map<number, ModelRow> | null = null;
  /** Earlier versions, in mode `history`. */
  private ended: (readonly [number, ModelRow])[] = [];
  private loaded = new Map<number, ModelRow>();

  constructor(private readonly deletions: DeletionMode) {}

  begin(): void {
    this.loaded = new Map();
  }

  append(columns: readonly TargetColumn[], lines: readonly Line[]): void {
    for (const line of lines) this.loaded.set(line.id, rowOf(columns, line));
  }

  finish(columns: readonly TargetColumn[]): void {
    const isKept = ({ id, type }: TargetColumn): boolean =>
      this.columns.some((column) => column.id === id && column.type === type);
    const kept = (row: ModelRow): ModelRow => {
      const values = columns.map(
        (column) => [column.name, isKept(column) ? row.values.get(column.name) : null] as const,
      );
      return { ...row, values: new Map(values) };
    };
    this.ended = this.ended.map(([id, row]) => [id, kept(row)]);
    const common = columns.filter(isKept);
    for (const [id, row] of this.rows ?? []) {
      const loaded = this.loaded.get(id);
      if (this.deletions === 'mark' && !loaded) {
        this.loaded.set(id, { ...kept(row), isDeleted: true });
      }
      if (this.deletions === 'history' && !isSame(common, row, loaded)) {
        this.ended.push([id, kept(row)]);
      }
    }
    this.rows = this.loaded;
    this.columns = columns;
  }

  merge(columns: readonly TargetColumn[], lines: readonly Line[]): void {
    for (const line of lines) {
      const { id, revision, values } = line;
      const row = this.rows?.get(id);
      if (row && row.revision > revision) continue;
      if (!values && row) this.remove(id, this.deletions === 'mark' ? { ...row, revision } : row);
      if (!values) continue;
      if (row && row.revision < revision) this.end(id, row);
      this.rows?.set(id, rowOf(columns, line));
    }
  }

  replace(
    columns: readonly TargetColumn[],
    [from, to]: readonly [number, number],
    lines: readonly Line[],
  ): void {
    const after = new Map(lines.map((line) => [line.id, rowOf(columns, line)]));
    for (const [id, row] of this.rows ?? []) {
      const isIn = id >= from && id <= to;
      if (isIn && !isSame(columns, row, after.get(id))) this.remove(id, row);
    }
    for (const [id, row] of after) this.rows?.set(id, row);
  }

  change(): void {
    this.columns = [text, widened, extra];
    for (const row of [...(this.rows?.values() ?? []), ...this.ended.map(([, each]) => each)]) {
      const number = row.values.get('ratio');
      row.values = new Map<string, unknown>([
        ['text', row.values.get('text')],
        ['ratio', typeof number === 'number' ? String(number) : null],
        ['extra', null],
      ]);
    }
  }

  read(): readonly ReadRow[] | null {
    const printed = ([id, { revision, values, isDeleted }]: readonly [
      number,
      ModelRow,
    ]): ReadRow => ({
      _id: id,
      _revision: revision,
      ...Object.fromEntries(values),
      ...(isDeleted && { _deleted_at: true }),
    });
    const ended = this.ended.map((each) => ({ ...printed(each), ended: true }));
    return this.rows && inOrder([...[...this.rows].map(printed), ...ended]);
  }

  private end(id: number, row: ModelRow): void {
    if (this.deletions === 'history') this.ended.push([id, row]);
  }

  private remove(id: number, row: ModelRow): void {
    this.end(id, row);
    if (this.deletions === 'mark') this.rows?.set(id, { ...row, isDeleted: true });
    else this.rows?.delete(id);
  }
}

const isSame = (
  columns: readonly TargetColumn[],
  one: ModelRow,
  other: ModelRow | undefined,
): boolean =>
  one.revision === other?.revision &&
  columns.every(({ name }) => one.values.get(name) === other.values.get(name));

/** Sorts rows by ids, and versions of a row in any way that is always the same. */
const inOrder = (rows: readonly ReadRow[]): ReadRow[] => {
  const textOf = (row: ReadRow): string =>
    String(row['_id']).padStart(8) + JSON.stringify(Object.entries(row).sort());
  return [...rows].sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
};

const TIMES = ['_synced_at', '_valid_to'];

/** Returns what a reader sees, in the form of the model. */
async function readRows(
  engine: ClickhouseEngine,
  { name, deletions }: TargetTable,
): Promise<readonly ReadRow[] | null> {
  if (deletions !== 'history') return readTable(engine, name);
  const rows = await readTable(engine, name, engine.database, true);
  const versions = rows?.map((row) => ({
    ...Object.fromEntries(Object.entries(row).filter(([column]) => !TIMES.includes(column))),
    ...(row['_valid_to'] !== null && { ended: true }),
  }));
  return versions ? inOrder(versions) : null;
}

function rowOf(columns: readonly TargetColumn[], { revision, values }: Line): ModelRow {
  const cells = columns.map(({ name, type }, index) => {
    const cell = values?.[index] ?? null;
    return [name, cell === null || type === 'text' ? cell : Number(cell)] as const;
  });
  return { revision, values: new Map(cells), isDeleted: false };
}

/** A step of a cycle, and what it does to the model. */
interface Step {
  readonly run: (writer: TargetWriter, state: SyncState) => Promise<void>;
  readonly apply: (model: Model) => void;
}

const TWO = [text, ratio];
const THREE = [text, widened, extra];
const STEPS = 9;

/** Returns the steps of a cycle. Each cycle loads the table again. */
function cycleOf(cycle: number): readonly Step[] {
  const at = 10 * cycle;
  const name = `cycle ${String(cycle)}`;
  const append = (ids: readonly [number, number]): Step => {
    const lines = linesOf(ids, at + 1, () => [name, '1.5']);
    return {
      run: (writer, state) => writer.append(TWO, loads(lines), state),
      apply: (model) => {
        model.append(TWO, lines);
      },
    };
  };
  const merge = (columns: readonly TargetColumn[], lines: readonly Line[]): Step => ({
    run: (writer, state) => writer.merge(columns, changes(lines, columns), state),
    apply: (model) => {
      model.merge(columns, lines);
    },
  });
  // Of a lower revision than the rows that they replace.
  const replaced = linesOf([1, 50], at, () => ['replaced', '3']);
  return [
    {
      run: (writer, state) => writer.beginLoad(TWO, state),
      apply: (model) => {
        model.begin();
      },
    },
    append([1, 300]),
    append([301, 600]),
    {
      run: (writer, state) => writer.finishLoad(TWO, state),
      apply: (model) => {
        model.finish(TWO);
      },
    },
    merge(
      TWO,
      linesOf([500, 700], at + 3, (id) => (id % 2 === 0 ? null : [`merged in ${name}`, '2'])),
    ),
    {
      run: (writer, state) => writer.replace(TWO, { from: 1, to: 100 }, loads(replaced), state),
      apply: (model) => {
        model.replace(TWO, [1, 100], replaced);
      },
    },
    merge(
      TWO,
      linesOf([40, 60], at + 1, () => ['merged after', '4']),
    ),
    {
      run: (writer, state) =>
        writer.changeColumns({ removed: [], widened: [widened], added: [extra] }, state),
      apply: (model) => {
        model.change();
      },
    },
    merge(
      THREE,
      linesOf([1, 20], at + 5, () => ['all columns', 'text', '7']),
    ),
  ];
}

const stepAt = (n: number): Step => {
  const step = cycleOf(Math.floor(n / STEPS))[n % STEPS];
  if (!step) throw new Error(`There is no step ${String(n)}.`);
  return step;
};

/** Returns what a reader must see once a step is done. Loads change nothing until they are finished. */
function expected(deletions: DeletionMode, done: number): readonly ReadRow[] | null {
  const model = new Model(deletions);
  for (let n = 0; n <= done; n += 1) stepAt(n).apply(model);
  return model.read();
}

/**
 * A worker that is killed leaves what it has sent so far. So half of the kills cut its connections
 * after a random byte, and the work goes on with a new writer. The others kill the engine.
 */
describeWithClickhouse('a ClickHouse destination', () => {
  it.each(DELETION_MODES)(
    'has the rows of its state, or of the step after it, after each kill of a worker or of the engine, in mode %s',
    async (deletions) => {
      const engine = await ClickhouseEngine.start();
      const proxy = await CuttingProxy.start(() => engine.port);
      const destination = new ClickhouseDestination(accessOf(engine, { port: proxy.port }));
      const table = { id: randomUUID(), name: 'orders', deletions };
      let [attempted, token, kills, claims] = [-1, 0, 0, 0];
      const interrupted = new Set<number>();

      /** Goes on from the state of the destination until a step fails, or up to one. */
      const work = async (last: number): Promise<void> => {
        const writer = await destination.open(table);
        try {
          token += 1;
          const state = await writer.claim(token);
          claims += 1;
          const done = state === null ? -1 : Number(state);
          expect([attempted, attempted - 1]).toContain(done);
          const seen = await readRows(engine, table);
          // The rows of a step come before its state.
          const isAhead = isDeepStrictEqual(seen, expected(deletions, attempted));
          if (!isAhead) expect([done, seen]).toEqual([done, expected(deletions, done)]);
          attempted = done;
          while (attempted < last) {
            attempted += 1;
            await stepAt(attempted).run(writer, String(attempted));
          }
        } finally {
          await writer.close();
        }
      };

      try {
        while (kills < KILLS) {
          let killed: Promise<void> = Promise.resolve();
          const isOfEngine = kills % 2 === 1;
          proxy.cutAfter(Math.ceil(Math.random() * MAX_BYTES), () => {
            if (isOfEngine) killed = engine.restart();
          });
          await expect(work(Infinity)).rejects.toMatchObject({ kind: 'unavailable' });
          kills += 1;
          interrupted.add(attempted % STEPS);
          proxy.heal();
          await killed;
        }
        const last = (Math.floor(attempted / STEPS) + 2) * STEPS - 1;
        await work(last);
        await expect(readRows(engine, table)).resolves.toEqual(expected(deletions, last));
        const left = await engine.query(
          `SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '\\_datagrid\\_%' AND name != '_datagrid_sync'`,
        );
        expect(left).toHaveLength(1);
        expect(claims).toBeGreaterThan(KILLS / 3);
        expect(interrupted.size).toBeGreaterThan(Math.min(3, KILLS / 3));
        const steps = `${String(last + 1)} steps, ${String(interrupted.size)} of ${String(STEPS)} kinds interrupted`;
        process.stdout.write(
          `${deletions}: ${String(kills)} kills, ${String(claims)} claims, ${steps}\n`,
        );
      } finally {
        await proxy.close();
        await engine.close();
      }
    },
    20 * 60_000,
  );
});
