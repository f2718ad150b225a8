import type { ChangeRepository, LogHead } from '../../changes/change.repository';
import { EntryPlan, isContinuous, positionAt } from '../../changes/entry-plan';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import type {
  CsvLines,
  TargetColumn,
  TargetWriter,
  UnusedColumn,
} from '../../destinations/destination';
import { DriftCheck } from './drift-check';
import { destinationColumns } from './destination-columns';
import {
  ColumnsChangedError,
  type CountedLines,
  DatagridGoneError,
  type RowRange,
  type RowSource,
  type SourceColumns,
} from './row-source.repository';
import type { ClaimedTable, Progress } from './sync.repository';
import { PartSize, Publication } from './pace';
import {
  ALL_ROWS,
  type ChangesState,
  type LoadState,
  printState,
  readState,
  type TableState,
} from './sync-state';
import { columnPlan, targetColumns } from './target-columns';

/**
 * Why a table is loaded: the destination has no state of it, or none that is valid; it was requested; the target table
 * is gone; the log does not have all changes since the state; or columns have changed during a load.
 */
export type LoadReason = 'no_state' | 'requested' | 'no_table' | 'log' | 'columns';

/** What the sync of a table uses. */
export interface SyncContext {
  readonly table: ClaimedTable;
  readonly writer: TargetWriter;
  /** Number of changes of a step, whatever time it takes; by default it adapts to the time. */
  readonly changesPerStep?: number | undefined;
  readonly source: RowSource;
  readonly log: ChangeRepository;
  /** Returns the current columns of the datagrid. */
  readonly getSchema: () => Promise<DatagridSchema>;
  /**
   * Called after each step.
   * @returns whether the sync goes on: the table is still claimed, and its turn has not ended.
   */
  readonly onStep: (progress: Progress) => Promise<boolean>;
  /** Called before a load begins. */
  readonly onLoad: (reason: LoadReason) => void;
  /** Called once the destination has stored that a load has begun, which the user has requested. */
  readonly onReset: () => Promise<void>;
  /** Called after a check or repair that the user has requested. */
  readonly onChecked: (differentRows: number) => Promise<void>;
}

/** The columns of a datagrid that a step uses. */
interface StepColumns {
  /** The columns that the target table is to have. */
  readonly target: readonly TargetColumn[];
  /** Ids of all columns of the datagrid. */
  readonly knownIds: readonly number[];
  /** The columns to print, in the order of other target columns. */
  readonly from: (columns: readonly TargetColumn[]) => SourceColumns;
}

/** Syncs one datagrid to its target table, step by step. */
export class TableSync {
  /** Rows and bytes that the destination has stored. */
  rows = 0;
  bytes = 0;
  /** Revision that the destination has; `null` if nothing is loaded. */
  revision: number | null = null;
  /** Revision of the datagrid when its log was last read. */
  private head = Infinity;
  /** Rows of the load in progress. After a kill, those of its last part may be missing. */
  private loadedRows: number;
  /** Lines that the destination reads. */
  private lines: CountedLines | undefined;
  private onChanged: ((ids: readonly number[]) => void) | undefined;
  private readonly loadSize = new PartSize(10_000, 200, 500_000);
  private readonly changeSize: PartSize;
  private readonly publication: Publication;
  /** Whether missing values have the next step. They take turns with changes, which may never end. */
  private isRescanNext = false;
  /** Columns that the destination keeps only for objects of others; `null` before they are looked for. */
  private unused: readonly UnusedColumn[] | null = null;

  constructor(private readonly context: SyncContext) {
    this.loadedRows = context.table.loadedRows ?? 0;
    this.publication = new Publication(context.writer);
    const { changesPerStep: changes } = context;
    this.changeSize =
      changes === undefined
        ? new PartSize(5_000, 50, 5_000)
        : new PartSize(changes, 50, changes, Infinity);
  }

  /** Time in which no further changes should be copied, in milliseconds. */
  get restMs(): number {
    return this.publication.restMs;
  }

  /** Time for which the destination has accepted no rows, in milliseconds; 0 if none wait for it. */
  get stalledMs(): number {
    const { waitingSinceMs = null } = this.lines ?? {};
    return waitingSinceMs === null ? 0 : performance.now() - waitingSinceMs;
  }

  /**
   * Runs until the destination has all changes, or `onStep` ends the turn.
   * @returns whether something is left other than new changes.
   * @throws DestinationError, FencedError, DatagridGoneError
   */
  async run(): Promise<boolean> {
    const { table, writer } = this.context;
    const stored = readState(await writer.claim(table.token));
    const isMissing = stored?.phase === 'changes' && !(await writer.exists());
    const reason = table.request === 'reset' ? 'requested' : isMissing ? 'no_table' : 'no_state';
    const isNew = stored === null || reason !== 'no_state';
    let state: TableState = isNew ? await this.begin(reason) : stored;
    if (state.phase === 'changes') {
      this.revision = state.position.revision;
      // What an earlier run has stored, and may not have published.
      await this.publication.publish(this.revision);
    }
    if (table.request === 'reset') await this.context.onReset();
    let isChecked = table.request !== 'check' && table.request !== 'repair';
    for (;;) {
      this.unused ??= (await writer.dropUnused?.()) ?? [];
      const isDue = !isChecked && state.phase === 'changes' && state.rescanAfterId === null;
      const next: TableState | null = isDue
        ? await this.check(state as ChangesState)
        : await this.step(state);
      isChecked ||= isDue;
      if (next) state = next;
      if (!(await this.report(state, next === null))) return next !== null;
    }
  }

  /** Does one step. @returns the state after it; `null` if nothing is left to do. */
  private async step(state: TableState): Promise<TableState | null> {
    try {
      return state.phase === 'load' ? await this.load(state) : await this.follow(state);
    } catch (error) {
      // The next step reads the columns again.
      if (error instanceof ColumnsChangedError) return state;
      throw error;
    }
  }

  /** Compares the table with the datagrid, and repairs it if the user has requested it. */
  private async check(state: ChangesState): Promise<TableState> {
    const { table, writer, source, onChecked } = this.context;
    const check = new DriftCheck(
      {
        writer,
        source,
        isRepair: table.request === 'repair',
        follow: (current) => this.step(current),
        getColumns: async ({ columns }) => (await this.columns(columns)).from(columns),
        write: (lines, write) => this.write(lines, write),
      },
      state,
    );
    this.onChanged = (ids) => {
      check.touch(ids);
    };
    try {
      const { state: after, differentRows } = await check.run();
      if (differentRows !== null) await onChecked(differentRows);
      return after;
    } finally {
      this.onChanged = undefined;
    }
  }

  private async report(state: TableState, isIdle: boolean): Promise<boolean> {
    const { publication } = this;
    const isLoad = state.phase === 'load';
    const stored = isLoad ? state.revision : state.position.revision;
    // Of a table that was loaded, readers see the rows at once, even if there are always more changes.
    const isNew = this.revision === null && !isLoad;
    this.revision = isLoad ? null : stored;
    const loadedRows = isLoad ? this.loadedRows : null;
    const isUpToDate = !isLoad && (isIdle || stored >= this.head);
    if (isUpToDate || isNew) await publication.publish(stored);
    const revision = isLoad ? stored : publication.visibleRevision(stored);
    const columns = destinationColumns(state, this.unused ?? []);
    const { restMs } = publication;
    const progress = { revision, loadedRows, isUpToDate, isIdle, columns, restMs };
    const goesOn = await this.context.onStep(progress);
    // Readers see some progress, even if the sync never has all changes.
    if (!goesOn && !isLoad) await publication.publish(stored);
    return goesOn;
  }

  /** Begins a load into a table beside the target table. */
  private async begin(reason: LoadReason): Promise<LoadState> {
    this.context.onLoad(reason);
    const { revision, atMs } = await this.findHead(0);
    const { target, knownIds } = await this.columns([]);
    const seen = { revision, atMs };
    const state: LoadState = {
      phase: 'load',
      revision,
      seen,
      afterId: 0,
      columns: target,
      knownIds,
    };
    this.loadedRows = 0;
    await this.context.writer.beginLoad(target, printState(state));
    return state;
  }

  /** Appends the next rows. After the last one, makes them those of the target table. */
  private async load(state: LoadState): Promise<TableState> {
    const { writer } = this.context;
    const head = await this.findHead(state.seen.revision);
    const isSame = head.revision >= state.seen.revision && head.seenAtMs === state.seen.atMs;
    const { target, from } = await this.columns(state.columns);
    // Rows that were loaded lack the values of a new column. Nobody sees the load yet.
    if (!isSame) return this.begin('log');
    if (columnPlan(state.columns, target)) return this.begin('columns');
    const part = await this.readPart('load', from(state.columns), state.afterId);
    if (!part) {
      const { revision, seen, columns, knownIds } = state;
      const position = { ...positionAt(revision), seen };
      const next: ChangesState = {
        phase: 'changes',
        position,
        columns,
        knownIds,
        rescanAfterId: null,
        fillingIds: [],
      };
      await writer.finishLoad(columns, printState(next));
      this.unused = null;
      return next;
    }
    const next: LoadState = { ...state, afterId: part.isLast ? ALL_ROWS : part.toId };
    await this.writePart(part.lines, this.loadSize, (lines) =>
      writer.append(state.columns, lines, printState(next)),
    );
    this.loadedRows += part.lines.rows;
    return next;
  }

  /** Applies the next changes: of the columns, then of rows. Then adds values that are missing. */
  private async follow(state: ChangesState): Promise<TableState | null> {
    const { table, log, writer, source } = this.context;
    const { target, knownIds, from } = await this.columns(state.columns);
    if (columnPlan(state.columns, target)) return this.changeColumns(state, target, knownIds);
    const start = state.position;
    const { rows: limit } = this.changeSize;
    const page = await log.listEntries(table.accountId, table.datagridId, start, limit, false);
    if (!page) throw new DatagridGoneError();
    this.head = page.revision;
    const { seen } = start;
    const isSame = page.revision >= seen.revision && page.seenAtMs === seen.atMs;
    if (!isSame || !isContinuous(start, page)) return this.begin('log');
    const isRescan = this.isRescanNext && state.rescanAfterId !== null;
    this.isRescanNext = !isRescan;
    if (page.entries.length === 0 || isRescan) return this.rescan(state, from);
    const changes = new EntryPlan(start, page, limit);
    const position = {
      ...changes.positionAfter(changes.rows.ids.length),
      seen: { revision: page.revision, atMs: page.atMs },
    };
    const next: ChangesState = { ...state, position, knownIds };
    const { changedRows } = changes;
    const lines = await source.readChanged(from(state.columns), changedRows);
    this.onChanged?.(changedRows.ids);
    await this.writePart(lines, this.changeSize, (part) =>
      writer.merge(state.columns, part, printState(next)),
    );
    return next;
  }

  private async changeColumns(
    state: ChangesState,
    target: readonly TargetColumn[],
    knownIds: readonly number[],
  ): Promise<ChangesState> {
    const plan = columnPlan(state.columns, target);
    if (!plan) return state;
    const { removed, widened, added } = plan;
    // A column that was created since has only values that the log has.
    const hasValues = ({ id }: TargetColumn): boolean => state.knownIds.includes(id);
    const filled = [...widened, ...added.filter(hasValues)].map(({ id }) => id);
    const gone = new Set([...removed, ...widened].map(({ id }) => id));
    const kept = state.columns.filter(({ id }) => !gone.has(id));
    const next: ChangesState = {
      ...state,
      columns: [...kept, ...widened, ...added],
      knownIds,
      rescanAfterId: filled.length > 0 ? 0 : state.rescanAfterId,
      fillingIds: [...new Set([...state.fillingIds, ...filled])],
    };
    await this.context.writer.changeColumns(plan, printState(next));
    this.unused = null;
    return next;
  }

  /** Reads the next rows again, if values are missing. */
  private async rescan(
    state: ChangesState,
    from: StepColumns['from'],
  ): Promise<ChangesState | null> {
    const { writer } = this.context;
    const { rescanAfterId, columns } = state;
    if (rescanAfterId === null) return null;
    const part = await this.readPart('changes', from(columns), rescanAfterId);
    const isLast = !part || part.isLast;
    const next: ChangesState = isLast
      ? { ...state, rescanAfterId: null, fillingIds: [] }
      : { ...state, rescanAfterId: part.toId };
    if (!part) {
      await writer.merge(columns, noLines(), printState(next));
      return next;
    }
    await this.writePart(part.lines, this.loadSize, (lines) =>
      writer.merge(columns, lines, printState(next)),
    );
    return next;
  }

  private readPart(
    form: 'load' | 'changes',
    from: SourceColumns,
    afterId: number,
  ): Promise<RowRange | null> {
    return this.context.source.readAfter(form, from, afterId, this.loadSize.rows);
  }

  /** Writes a part, and adapts the size of the next one. */
  private async writePart(
    lines: CountedLines,
    size: PartSize,
    write: (lines: CsvLines) => Promise<void>,
  ): Promise<void> {
    const startedAtMs = performance.now();
    await this.write(lines, write);
    size.adapt(lines.bytes, performance.now() - startedAtMs);
  }

  /** Writes lines, which count as stalled as long as the destination does not read them. */
  private async write(
    lines: CountedLines,
    write: (lines: CsvLines) => Promise<void>,
  ): Promise<void> {
    this.lines = lines;
    await write(lines);
    this.lines = undefined;
    this.rows += lines.rows;
    this.bytes += lines.bytes;
  }

  /** @param before Columns of the target table, whose names stay. */
  private async columns(before: readonly TargetColumn[]): Promise<StepColumns> {
    const schema = await this.context.getSchema();
    const { columnIds } = this.context.table;
    const all = [...schema.columns.values()];
    const chosen = all.filter(({ id }) => columnIds?.includes(id) ?? true);
    const byId = new Map(all.map((column) => [column.id, column]));
    return {
      target: targetColumns(chosen, before),
      knownIds: all.map(({ id }) => id),
      from: (columns) => ({
        columns: columns.flatMap(({ id }): SchemaColumn[] => {
          const column = byId.get(id);
          return column ? [column] : [];
        }),
        version: schema.version,
      }),
    };
  }

  private async findHead(seenRevision: number): Promise<LogHead> {
    const { accountId, datagridId } = this.context.table;
    const head = await this.context.log.findHead(accountId, datagridId, seenRevision);
    if (!head) throw new DatagridGoneError();
    return head;
  }
}

async function* noLines(): CsvLines {
  // A merge without rows stores the state.
}
