import type { CheckedRows } from '../check/checked-row';

/** Makes rows of a body that comes in chunks, checked against the columns. */
export interface RowSource {
  /** Rows that came together, and whatever else a chunk has brought. */
  rows(chunks: AsyncIterable<Buffer>): AsyncIterable<CheckedRows>;
}
