import { boxOf, type Box, type CellRange, type Position } from './cell-range';

/** The selected range of one grid. */
export class RangeSelection {
  private range: CellRange | null = null;
  private copied: CellRange | null = null;
  private within: (range: CellRange) => CellRange = (range) => range;
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Returns the range: the same object until it changes. */
  readonly current = (): CellRange | null => this.range;

  /** Whether the range is the one that was copied last. */
  readonly isCopied = (): boolean => this.range !== null && this.range === this.copied;

  /** @param within Returns the part of a range that can be selected. */
  limitTo(within: (range: CellRange) => CellRange): void {
    this.within = within;
  }

  /** Tells listeners that a range was copied. */
  markCopied(range: CellRange | null): void {
    this.copied = range;
    this.tell();
  }

  box(): Box | null {
    return this.range && boxOf(this.range);
  }

  set(range: CellRange | null): void {
    this.range = range && this.within(range);
    this.tell();
  }

  /** Selects one cell. */
  collapse(to: Position): void {
    this.set({ anchor: to, head: to });
  }

  /** Moves the head of the range. */
  extend(head: Position): void {
    this.set({ anchor: this.range?.anchor ?? head, head });
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
