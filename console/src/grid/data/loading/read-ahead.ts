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
 * Reads blocks of rows. After a block beside the last one, or as far from it as that was from the one
 * before, it also reads the block at the same distance, so that it is there when the user scrolls on.
 * A grid of many rows scrolls by several blocks at once. It keeps one block, which is returned once.
 */
export class ReadAhead<Block extends { readonly total: number }> {
  private lastStart = 0;
  private lastStep = 0;
  /** Number of rows, once a block was read. */
  private total = 0;
  private ahead: Ahead<Block> | undefined;

  constructor(
    private readonly read: ReadBlock<Block>,
    private readonly now = Date.now,
  ) {}

  /** Returns a block. @throws what reading throws. */
  async take(startRow: number, endRow: number): Promise<Block> {
    const size = endRow - startRow;
    const step = startRow - this.lastStart;
    const isSteady = step !== 0 && (Math.abs(step) === size || step === this.lastStep);
    this.lastStart = startRow;
    this.lastStep = step;
    const reading = this.blockAt(startRow, endRow);
    const next = startRow + step;
    if (isSteady && next >= 0 && next < this.total) this.readNext(next, next + size);
    const block = await reading;
    this.total = block.total;
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
