import {
  BLOCK_ROWS,
  type BlockSum,
  type CsvLines,
  type IdRange,
  type TargetWriter,
} from '../../destinations/destination';
import type { CountedLines, RowSource, SourceColumns } from './row-source.repository';
import { type ChangesState, printState, type TableState } from './sync-state';

/** What a check uses. */
export interface CheckContext {
  readonly writer: TargetWriter;
  readonly source: RowSource;
  /** Whether to replace the rows of blocks that are different. */
  readonly isRepair: boolean;
  /** Applies the next changes. @returns the state after it; `null` if nothing is left to do. */
  readonly follow: (state: ChangesState) => Promise<TableState | null>;
  /** Returns the columns to print for a state. */
  readonly getColumns: (state: ChangesState) => Promise<SourceColumns>;
  /** Writes lines to the destination, and counts them. */
  readonly write: (lines: CountedLines, write: (lines: CsvLines) => Promise<void>) => Promise<void>;
}

/** Result of a check. */
export interface CheckResult {
  readonly state: TableState;
  /** Rows that were different; `null` if the table has to be loaded again. */
  readonly differentRows: number | null;
}

/**
 * Compares a target table with its datagrid while both are written: first sums of blocks of ids, then
 * the rows of blocks that are different. Rows that change meanwhile do not count, because the sync
 * writes them anyway. Compares ids and revisions: a value that somebody has changed in the destination
 * is found only if the revision changed, too.
 */
export class DriftCheck {
  /** Ids of rows that were changed since the last comparison began. */
  private readonly touched = new Set<number>();

  constructor(
    private readonly context: CheckContext,
    private state: TableState,
  ) {}

  /** Tells the check that the sync has written rows. */
  touch(ids: readonly number[]): void {
    for (const id of ids) this.touched.add(id);
  }

  /** @throws as the methods of the writer and the source */
  async run(): Promise<CheckResult> {
    const { source, writer } = this.context;
    const { revision, blocks } = await source.sumBlocks();
    if (!(await this.followUntil(revision))) return this.result(null);
    const suspects = differentBlocks(blocks, await writer.sumBlocks());
    let differentRows = 0;
    for (const block of suspects) {
      const range = { from: block * BLOCK_ROWS, to: (block + 1) * BLOCK_ROWS - 1 };
      const count = await this.countDifferent(range);
      if (count === null) return this.result(null);
      differentRows += count;
      if (count > 0 && this.context.isRepair) await this.repair(range);
    }
    return this.result(differentRows);
  }

  private result(differentRows: number | null): CheckResult {
    return { state: this.state, differentRows };
  }

  /** Compares the rows of a range. @returns `null` if the table has to be loaded again. */
  private async countDifferent(range: IdRange): Promise<number | null> {
    const { source, writer } = this.context;
    this.touched.clear();
    const { revision, rows } = await source.readRevisions(range);
    if (!(await this.followUntil(revision))) return null;
    const expected = new Map(rows.map((row) => [row.id, row.revision]));
    let count = 0;
    for (const { id, revision: actual } of await writer.readRevisions(range)) {
      if (expected.get(id) !== actual && !this.touched.has(id)) count += 1;
      expected.delete(id);
    }
    // The destination lacks the others.
    for (const id of expected.keys()) if (!this.touched.has(id)) count += 1;
    return count;
  }

  private async repair(range: IdRange): Promise<void> {
    const { source, writer, getColumns, write } = this.context;
    const { state } = this;
    if (state.phase !== 'changes') return;
    const lines = await source.readRange(await getColumns(state), range);
    await write(lines, (part) => writer.replace(state.columns, range, part, printState(state)));
  }

  /** Applies changes until the destination has a revision. @returns whether it has it. */
  private async followUntil(revision: number): Promise<boolean> {
    for (;;) {
      if (this.state.phase !== 'changes') return false;
      if (this.state.position.revision >= revision && this.state.position.offset === 0) return true;
      const next = await this.context.follow(this.state);
      if (!next) return true;
      this.state = next;
    }
  }
}

/** Returns the blocks whose sums differ, in order. */
function differentBlocks(expected: readonly BlockSum[], actual: readonly BlockSum[]): number[] {
  const printed = ({ rows, ids, revisions }: BlockSum): string =>
    `${String(rows)} ${ids} ${revisions}`;
  const left = new Map(expected.map((sum) => [sum.block, printed(sum)]));
  const different: number[] = [];
  for (const sum of actual) {
    if (!Number.isSafeInteger(sum.block) || sum.block < 0) continue;
    if (left.get(sum.block) !== printed(sum)) different.push(sum.block);
    left.delete(sum.block);
  }
  return [...different, ...left.keys()].sort((one, other) => one - other);
}
