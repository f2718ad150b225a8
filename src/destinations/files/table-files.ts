import {
  type BlockSum,
  type ColumnPlan,
  type DeletionMode,
  DestinationError,
  type IdRange,
  type RowRevision,
  type TargetColumn,
} from '../destination';
import type { LineKind } from '../duckdb/duckdb-sql';
import type { DataFile, FileCatalog, FileSet } from './file-catalog';
import { type ParquetEngine, receivedFile } from './parquet-engine';
import { notAsWritten } from './parquet-error';
import type { FileLayout, StagedLines } from './parquet-sql';
import type { LocalFile, Output, SentFile, StagedRange } from './parquet.repository';
import { type FileLimits, joinedWith, piecesOf, type Segment, segmentsOf } from './segments';

/** Former files that are read at a time, to find rows that a load does not have. */
const MAX_FORMER_FILES = 4;

/** Lines as CSV, with their columns. */
export interface LineFile {
  readonly csv: string;
  readonly columns: readonly TargetColumn[];
}

/** A segment that a step changes, with its staged lines, if it has any. */
interface Change {
  readonly segment: Segment;
  readonly lines: StagedRange | null;
}

/**
 * Computes the files of a table after a step. It writes those anew whose ranges contain rows that
 * change, one after another, and takes over the others. Nobody sees the new ones before a version lists
 * them.
 */
export class TableFiles {
  constructor(
    private readonly catalog: FileCatalog,
    private readonly engine: ParquetEngine,
    private readonly mode: DeletionMode,
    private readonly limits: FileLimits,
  ) {}

  /**
   * Adds lines to a load, in a new file or together with its last ones, if they are small.
   * @throws DestinationError `inconsistent` if the load has rows with these ids or higher ones.
   */
  async append({ columns, files }: FileSet, lines: LineFile): Promise<readonly DataFile[]> {
    const [staged] = await this.stage(lines, 'rows', [Number.MIN_SAFE_INTEGER]);
    if (!staged) return files;
    const last = files.at(-1);
    if (last && last.toId >= staged.fromId) throw overlapping();
    const joined = joinedWith(files, staged.rows, this.limits);
    const total = joined.reduce((sum, { rows }) => sum + rows, staged.rows);
    const output = { layout: this.layout(columns), pieces: piecesOf(total, 0, this.limits) };
    const local = await this.engine.local(joined);
    const own = { columns: lines.columns, ids: idsOf(staged) };
    const written = await this.engine.call('replace', local, own, null, output);
    return [...files.slice(0, files.length - joined.length), ...(await this.upload(written))];
  }

  /** Applies changes. A row with a higher revision stays. */
  async merge({ columns, files }: FileSet, lines: LineFile): Promise<readonly DataFile[]> {
    const changes = await this.findChanges(files, lines, 'changes');
    return this.rewrite(files, changes, async ({ segment, lines: staged }, local) => {
      if (staged === null) return null;
      // A deletion of rows that the file does not have changes nothing.
      const { fromId = Infinity, toId = -Infinity } = segment.file ?? {};
      if (staged.sets === 0 && (staged.fromId > toId || staged.toId < fromId)) return null;
      const output = this.output(columns, segment, staged.sets);
      const own: StagedLines = { columns: lines.columns, ids: idsOf(staged) };
      return this.engine.call('apply', local, own, output);
    });
  }

  /** Replaces the rows of a range by lines; `null` if there are none. */
  async replace(
    { columns, files }: FileSet,
    range: IdRange,
    lines: LineFile | null,
  ): Promise<readonly DataFile[]> {
    const changes = lines === null ? [] : await this.findChanges(files, lines, 'rows');
    const changed = new Set(changes.map(({ segment }) => segment.fromId));
    const others = segmentsOf(files, this.limits).filter(
      ({ file, fromId }) =>
        file !== null && !changed.has(fromId) && file.fromId <= range.to && file.toId >= range.from,
    );
    const all = [...changes, ...others.map((segment) => ({ segment, lines: null }))];
    return this.rewrite(files, all, ({ segment, lines: staged }, local) => {
      const output = this.output(columns, segment, staged?.rows ?? 0);
      const own = staged && lines && { columns: lines.columns, ids: idsOf(staged) };
      return this.engine.call('replace', local ? [local] : [], own, range, output);
    });
  }

  /**
   * Writes files anew with other columns. If readers find columns by their field ids, only those that
   * have values of a widened column, which gets another field id.
   */
  async convert(
    { columns: former, files }: FileSet,
    columns: readonly TargetColumn[],
    { removed, widened }: ColumnPlan,
  ): Promise<DataFile[]> {
    const from = this.layout(former);
    const emptied = removed.map(({ id }) => id);
    const idOf = new Map(from.fieldIds);
    const widenedIds = widened.map(({ name }) => idOf.get(name));
    const after: DataFile[] = [];
    for (const file of files) {
      if (file.fieldIds && !file.fieldIds.some((id) => widenedIds.includes(id))) {
        after.push(file);
        continue;
      }
      const [local] = await this.engine.local([file]);
      if (!local) continue;
      const output = {
        layout: this.layout(columns),
        pieces: piecesOf(file.rows, file.bytes, this.limits),
      };
      const written = await this.engine.call('convert', local, from, emptied, output);
      after.push(...(await this.upload(written)));
    }
    return after;
  }

  /** Returns the files of a load with what the mode keeps of the former table. */
  async takeOver(load: FileSet, former: FileSet): Promise<DataFile[]> {
    const old = await this.readable(former);
    const after: DataFile[] = [];
    for (const segment of segmentsOf(load.files, this.limits)) {
      const written = await this.takenOverIn(segment, load, former, old);
      if (written !== null) after.push(...written);
      else if (segment.file !== null) after.push(segment.file);
    }
    return after;
  }

  /** Returns files that have at least one, so that readers find the columns. */
  async orEmpty({ columns, files }: FileSet): Promise<FileSet> {
    if (files.length > 0) return { columns, files };
    const empty = await this.engine.call('writeEmpty', this.layout(columns));
    return { columns, files: await this.upload([empty]) };
  }

  async sumBlocks({ columns, files }: FileSet): Promise<BlockSum[]> {
    const layout = this.layout(columns);
    const sums: BlockSum[] = [];
    for (const file of files.filter(({ rows }) => rows > 0)) {
      const [local] = await this.engine.local([file]);
      if (!local) continue;
      for (const sum of await this.engine.call('sumBlocks', local, layout)) addSum(sums, sum);
    }
    return sums;
  }

  async readRevisions({ columns, files }: FileSet, range: IdRange): Promise<RowRevision[]> {
    const layout = this.layout(columns);
    const found: RowRevision[] = [];
    for (const file of files) {
      if (file.rows === 0 || file.toId < range.from || file.fromId > range.to) continue;
      const [local] = await this.engine.local([file]);
      if (!local) continue;
      for (const row of await this.engine.call('readRevisions', local, range, layout)) {
        found.push(row);
      }
      // Files can overlap, if somebody else has written them.
      if (found.length > range.to - range.from + 1) throw notAsWritten();
    }
    return found;
  }

  /**
   * Returns the files of one segment of a load with what the mode keeps of the former table. Reads a few
   * former files at a time. @returns `null` if the segment stays as it is.
   */
  private async takenOverIn(
    { file, fromId, toId }: Segment,
    load: FileSet,
    former: FileSet,
    old: readonly DataFile[],
  ): Promise<DataFile[] | null> {
    const own = old.filter((each) => each.fromId <= toId && each.toId >= fromId);
    if (own.length === 0) return null;
    const [from, layout] = [this.layout(former.columns), this.layout(load.columns)];
    const groups = Math.ceil(own.length / MAX_FORMER_FILES);
    const after: DataFile[] = [];
    for (let group = 0; group < groups; group += 1) {
      const first = group * MAX_FORMER_FILES;
      const part = own.slice(first, first + MAX_FORMER_FILES);
      const next = own[first + MAX_FORMER_FILES];
      const ids = {
        from: group === 0 ? fromId : (part[0]?.fromId ?? fromId),
        to: next ? next.fromId - 1 : toId,
      };
      const local = await this.engine.local(file ? [file, ...part] : part);
      const loaded = file ? (local.shift() ?? null) : null;
      const rows = part.reduce((sum, each) => sum + each.rows, file?.rows ?? 0);
      const output = { layout, pieces: piecesOf(rows, 0, this.limits) };
      const isOnly = groups === 1;
      const written = await this.engine.call('takeOver', loaded, local, from, ids, output, isOnly);
      if (written === null) return null;
      after.push(...(await this.upload(written)));
    }
    return after;
  }

  /** Returns the files that are as they were written. Rows of others are lost. */
  private async readable({ columns, files }: FileSet): Promise<DataFile[]> {
    const readable: DataFile[] = [];
    for (const file of files.filter(({ rows }) => rows > 0)) {
      try {
        const [local] = await this.engine.local([file]);
        if (local) await this.engine.call('check', local, this.layout(columns));
        readable.push(file);
      } catch (error) {
        const isGone = error instanceof DestinationError && error.kind === 'inconsistent';
        if (!isGone) throw error;
      }
    }
    return readable;
  }

  /** Stages lines, and returns those of each range of ids that has any. */
  private async stage(
    { csv, columns }: LineFile,
    kind: LineKind,
    bounds: readonly number[],
  ): Promise<StagedRange[]> {
    await this.engine.call('stage', csv, columns, kind);
    return this.engine.call('findRanges', bounds, kind);
  }

  private async findChanges(
    files: readonly DataFile[],
    lines: LineFile,
    kind: LineKind,
  ): Promise<Change[]> {
    const segments = segmentsOf(files, this.limits);
    const bounds = segments.map(({ fromId }) => fromId);
    const ranges = await this.stage(lines, kind, bounds);
    return ranges.flatMap((range): Change[] => {
      const segment = segments[range.index];
      return segment ? [{ segment, lines: range }] : [];
    });
  }

  /** Writes the files of segments anew. `write` returns `null` if one stays as it is. */
  private async rewrite(
    files: readonly DataFile[],
    changes: readonly Change[],
    write: (change: Change, file: LocalFile | null) => Promise<SentFile[] | null>,
  ): Promise<DataFile[]> {
    const byStart = new Map(changes.map((change) => [change.segment.fromId, change]));
    const after: DataFile[] = [];
    for (const { file, fromId } of segmentsOf(files, this.limits)) {
      const change = byStart.get(fromId);
      const [local = null] = await this.engine.local(file && change ? [file] : []);
      const written = change ? await write(change, local) : null;
      if (written !== null) after.push(...(await this.upload(written)));
      else if (file !== null) after.push(file);
    }
    return after;
  }

  private async upload(written: readonly SentFile[]): Promise<DataFile[]> {
    const files: DataFile[] = [];
    for (const each of written) {
      const file = await this.catalog.upload(receivedFile(each));
      this.engine.keep(file.name, each.path, file.bytes);
      files.push(file);
    }
    return files;
  }

  private layout(columns: readonly TargetColumn[]): FileLayout {
    return { columns, mode: this.mode, fieldIds: [...this.catalog.fieldIds(columns)] };
  }

  private output(columns: readonly TargetColumn[], { file }: Segment, added: number): Output {
    const pieces = piecesOf((file?.rows ?? 0) + added, file?.bytes ?? 0, this.limits);
    return { layout: this.layout(columns), pieces };
  }
}

/** Returns the columns after a change; `null` if it does not fit. */
export function changedColumns(
  former: readonly TargetColumn[],
  { removed, widened, added }: ColumnPlan,
): TargetColumn[] | null {
  const has = (list: readonly TargetColumn[], id: number): boolean =>
    list.some((column) => column.id === id);
  const fits = [...removed, ...widened].every(({ id }) => has(former, id));
  const kept = former
    .filter(({ id }) => !has(removed, id))
    .map((column) => widened.find(({ id }) => id === column.id) ?? column);
  const isFree = added.every(({ name }) => !kept.some((column) => column.name === name));
  return fits && isFree ? [...kept, ...added] : null;
}

function idsOf({ fromId, toId }: StagedRange): IdRange {
  return { from: fromId, to: toId };
}

/** Adds a sum to those of files before it, with which it can have a block in common. */
function addSum(sums: BlockSum[], next: BlockSum): void {
  const last = sums.at(-1);
  if (last?.block !== next.block) {
    sums.push(next);
    return;
  }
  const plus = (one: string, other: string): string => String(BigInt(one) + BigInt(other));
  sums[sums.length - 1] = {
    block: next.block,
    rows: last.rows + next.rows,
    ids: plus(last.ids, next.ids),
    revisions: plus(last.revisions, next.revisions),
  };
}

function overlapping(): DestinationError {
  const message = 'The load already has rows with higher ids. It must begin again.';
  return new DestinationError('inconsistent', message);
}
