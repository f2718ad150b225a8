/** Blocks of rows that are older than this are read again. */
const MAX_AGE_MS = 5_000;

interface Ahead<Block> {
  readonly startRow: number;
  readonly block: Promise<Block>;
  readonly atMs: number;
}

/** Reads the rows from `startRow` to `endRow`, exclusive. */
export type ReadBlock<Block> = (startRow: number, endRow: number) => Promise<Block>;

/**
 * Reads blocks of rows, and after two neighbors the next one in the same direction, so that it is
 * there when the user scrolls on. It keeps one block, which is returned once.
 */
export class ReadAhead<Block extends { readonly total: number }> {
  private lastStart: number | undefined;
  private ahead: Ahead<Block> | undefined;

  constructor(
    private readonly read: ReadBlock<Block>,
    private readonly now = Date.now,
  ) {}

  /** Returns a block. @throws what reading throws. */
  async take(startRow: number, endRow: number): Promise<Block> {
    const size = endRow - startRow;
    const step = this.lastStart === undefined ? 0 : startRow - this.lastStart;
    this.lastStart = startRow;
    const block = await this.blockAt(startRow, endRow);
    const next = startRow + step;
    // The user has scrolled elsewhere in the meantime, or jumped.
    if (this.lastStart !== startRow || Math.abs(step) !== size) return block;
    if (next >= 0 && next < block.total) this.readNext(next, next + size);
    return block;
  }

  private blockAt(startRow: number, endRow: number): Promise<Block> {
    const { ahead } = this;
    if (ahead?.startRow !== startRow) return this.read(startRow, endRow);
    this.ahead = undefined;
    if (this.now() - ahead.atMs > MAX_AGE_MS) return this.read(startRow, endRow);
    return ahead.block.catch(() => this.read(startRow, endRow));
  }

  private readNext(startRow: number, endRow: number): void {
    const block = this.read(startRow, endRow);
    // A failure matters only to the user who scrolls there, for whom the block is read again.
    block.catch(() => undefined);
    this.ahead = { startRow, block, atMs: this.now() };
  }
}
