import type {
  ColumnPlan,
  DeletionMode,
  SyncState,
  TargetColumn,
  TargetWriter,
} from '../../src/destinations/destination';
import { csv } from './contract-lines';
import type { ReadRow } from './contract-tables';

/** What a step is part of: rows of a load, its end, changes of rows, or changes of columns. */
export const STEP_KINDS = ['backfill', 'swap', 'tail', 'columns'] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** The steps of a cycle. Each cycle loads the table again. */
export const STEPS = [
  { name: 'beginLoad', kind: 'backfill' },
  { name: 'append', kind: 'backfill' },
  { name: 'second append', kind: 'backfill' },
  { name: 'finishLoad', kind: 'swap' },
  { name: 'merge', kind: 'tail' },
  { name: 'replace', kind: 'tail' },
  { name: 'merge after replace', kind: 'tail' },
  { name: 'changeColumns', kind: 'columns' },
  { name: 'merge after changeColumns', kind: 'tail' },
] as const satisfies readonly { readonly name: string; readonly kind: StepKind }[];

/** The columns of a cycle. Only `text` and `note` are those of the cycle before. */
function columnsOf(cycle: number): Readonly<Record<'loaded' | 'changed', TargetColumn[]>> & {
  readonly plan: ColumnPlan;
} {
  const text: TargetColumn = { id: 1, name: 'text', type: 'text' };
  const note: TargetColumn = { id: 2, name: 'note', type: 'text' };
  const ratio: TargetColumn = { id: 10 * cycle + 3, name: 'ratio', type: 'double' };
  const widened: TargetColumn = { ...ratio, type: 'text' };
  // Another column of the same name. Values of the first one must not appear in it.
  const recreated: TargetColumn = { ...note, id: 10 * cycle + 4 };
  const extra: TargetColumn = { id: 10 * cycle + 5, name: 'extra', type: 'integer' };
  return {
    loaded: [text, ratio, note],
    changed: [text, widened, recreated, extra],
    plan: { removed: [note], widened: [widened], added: [recreated, extra] },
  };
}

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
  readonly revision: number;
  readonly values: ReadonlyMap<string, unknown>;
  readonly isDeleted: boolean;
}

function rowOf(columns: readonly TargetColumn[], { revision, values }: Line): ModelRow {
  const cells = columns.map(({ name, type }, index) => {
    const cell = values?.[index] ?? null;
    return [name, cell === null || type === 'text' ? cell : Number(cell)] as const;
  });
  return { revision, values: new Map(cells), isDeleted: false };
}

/** What a table has, by the words of the interface. */
class Model {
  private columns: readonly TargetColumn[] = [];
  private rows: Map<number, ModelRow> | null = null;
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
    const common = columns.filter(isKept);
    for (const [id, row] of this.rows ?? []) {
      const loaded = this.loaded.get(id);
      if (this.deletions === 'mark' && !loaded) {
        this.loaded.set(id, { ...kept(row), isDeleted: true });
      }
      if (!isSame(common, row, loaded)) this.end(id, row);
    }
    this.ended = this.ended.map(([id, row]) => [id, kept(row)]);
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
      if (id < from || id > to || isSame(columns, row, after.get(id))) continue;
      this.remove(id, row);
    }
    for (const [id, row] of after) this.rows?.set(id, row);
  }

  change(columns: readonly TargetColumn[]): void {
    this.columns = columns;
    const change = (row: ModelRow): ModelRow => {
      const number = row.values.get('ratio');
      const values = new Map<string, unknown>([
        ['text', row.values.get('text')],
        ['ratio', typeof number === 'number' ? String(number) : null],
        ['note', null],
        ['extra', null],
      ]);
      return { ...row, values };
    };
    for (const [id, row] of this.rows ?? []) this.rows?.set(id, change(row));
    this.ended = this.ended.map(([id, row]) => [id, change(row)]);
  }

  read(): readonly ReadRow[] | null {
    const printed = ([id, row]: readonly [number, ModelRow]): ReadRow => ({
      _id: id,
      _revision: row.revision,
      ...Object.fromEntries(row.values),
      ...(row.isDeleted && { _deleted_at: true }),
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

/** Sorts rows by ids, and the versions of a row by their revisions and values. */
export function inOrder(rows: readonly ReadRow[]): ReadRow[] {
  const keyed = rows.map((row) => ({
    row,
    id: Number(row['_id']),
    revision: Number(row['_revision']),
  }));
  keyed.sort((one, other) => {
    const order = one.id - other.id || one.revision - other.revision;
    // Only after a repair or a load with lower revisions.
    return order || (textOf(one.row) < textOf(other.row) ? -1 : 1);
  });
  return keyed.map(({ row }) => row);
}

const textOf = (row: ReadRow): string =>
  Object.keys(row)
    .sort()
    .map((column) => JSON.stringify([column, row[column]]))
    .join();

/** Does a step in a destination and in the model. */
interface Step {
  readonly run: (writer: TargetWriter, state: SyncState) => Promise<void>;
  readonly apply: (model: Model) => void;
}

/**
 * Returns a step, of number `n` over all cycles.
 * @param rows Number of rows that a cycle loads. The other steps change a twentieth of them.
 */
function stepAt(n: number, rows: number): Step {
  const cycle = Math.floor(n / STEPS.length);
  const [at, few] = [10 * cycle, rows / 20];
  const { loaded, changed, plan } = columnsOf(cycle);
  const cells = (word: string, number: string): string[] => [
    `${word} ${String(cycle)}`,
    number,
    `note ${word}`,
  ];
  const append = (ids: readonly [number, number]): Step => {
    const lines = linesOf(ids, at + 1, () => cells('loaded', '1.5'));
    return {
      run: (writer, state) => writer.append(loaded, loads(lines), state),
      apply: (model) => {
        model.append(loaded, lines);
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
  const replaced = linesOf([1, few / 2], at, () => cells('replaced', '3.5'));
  const steps: Readonly<Record<(typeof STEPS)[number]['name'], () => Step>> = {
    beginLoad: () => ({
      run: (writer, state) => writer.beginLoad(loaded, state),
      apply: (model) => {
        model.begin();
      },
    }),
    append: () => append([1, rows / 2]),
    'second append': () => append([rows / 2 + 1, rows]),
    finishLoad: () => ({
      run: (writer, state) => writer.finishLoad(loaded, state),
      apply: (model) => {
        model.finish(loaded);
      },
    }),
    // The last lines are older than the rows of the table, which stay.
    merge: () => {
      const odd = (id: number): string[] | null => (id % 2 === 0 ? null : cells('merged', '2.5'));
      const older = linesOf([2 * few, 3 * few], at, () => cells('older', '4.5'));
      return merge(loaded, [...linesOf([rows - few, rows + few], at + 3, odd), ...older]);
    },
    replace: () => ({
      run: (writer, state) => writer.replace(loaded, { from: 1, to: few }, loads(replaced), state),
      apply: (model) => {
        model.replace(loaded, [1, few], replaced);
      },
    }),
    // Of rows that were replaced, and of some that were removed.
    'merge after replace': () =>
      merge(
        loaded,
        linesOf([few / 4, few], at + 1, () => cells('merged again', '4.5')),
      ),
    changeColumns: () => ({
      run: (writer, state) => writer.changeColumns(plan, state),
      apply: (model) => {
        model.change(changed);
      },
    }),
    'merge after changeColumns': () => {
      const values = (): string[] => [`changed ${String(cycle)}`, 'wide', 'new note', '7'];
      // The last ones are not in the next load.
      const ids = [
        [1, few],
        [rows + few / 2, rows + 2 * few],
      ] as const;
      return merge(
        changed,
        ids.flatMap((range) => linesOf(range, at + 5, values)),
      );
    },
  };
  const name = STEPS[n % STEPS.length]?.name ?? 'beginLoad';
  return steps[name]();
}

/** Does a step in a destination. The state is its number. */
export function runStep(writer: TargetWriter, n: number, rows: number): Promise<void> {
  return stepAt(n, rows).run(writer, String(n));
}

/** What a reader must see after each step. Steps are asked for in their order. */
export class ExpectedTables {
  private readonly model: Model;
  private readonly seen = new Map<number, readonly ReadRow[] | null>([[-1, null]]);
  private applied = -1;

  constructor(
    deletions: DeletionMode,
    private readonly rows: number,
  ) {
    this.model = new Model(deletions);
  }

  /**
   * Returns the rows after step `n`; `null` if there is no table. A load changes nothing until it is
   * finished.
   */
  after(n: number): readonly ReadRow[] | null {
    while (this.applied < n) {
      this.applied += 1;
      stepAt(this.applied, this.rows).apply(this.model);
      if (this.applied >= n) this.seen.set(this.applied, this.model.read());
    }
    for (const step of this.seen.keys()) if (step < n - 1) this.seen.delete(step);
    const rows = this.seen.get(n);
    if (rows === undefined) throw new Error(`Step ${String(n)} was left behind.`);
    return rows;
  }
}
