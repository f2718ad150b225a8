import type { CheckedRows } from '../check/checked-row';

/** Converts a body that arrives in chunks to rows that are checked against the columns. */
export interface RowSource {
  /** Yields batches of rows that arrived together. */
  rows(chunks: AsyncIterable<Buffer>): AsyncIterable<CheckedRows>;
}
