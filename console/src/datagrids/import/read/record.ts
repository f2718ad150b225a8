import type { Encoding } from '../../../../../src/imports/read/body-text';
import type { Delimiter } from '../../../../../src/rows/values/delimiter';

/**
 * A cell of a file as text. `null` is an empty cell or a JSON null, and undefined is a member that
 * an object does not have.
 */
export type Cell = string | null | undefined;

export interface SourceRecord {
  /**
   * The first line of the record in the file, from 1. In a worksheet, its row; in a JSON array, the
   * position of the item.
   */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** Positions of the cells that are JSON strings. Other cells of JSON are JSON as written. */
  readonly strings?: ReadonlySet<number>;
  /** Cells of a workbook whose text is no value, by their positions. */
  readonly faults?: ReadonlyMap<number, CellFault>;
  /** Why the record cannot be read, in words that fit all such records. */
  readonly error?: string;
  /** What is wrong, or where it is. */
  readonly detail?: string;
}

/** Why the text of a cell is no value: an error such as `#N/A`, or a formula that was not computed. */
export type CellFault = 'error' | 'formula';

/** How a file is read. */
export type FileFormat =
  | {
      readonly kind: 'csv';
      readonly delimiter: Delimiter;
      readonly encoding: Encoding;
      readonly hasHeader: boolean;
      /** Whether the user must choose the delimiter. */
      readonly isAmbiguous?: true;
    }
  | { readonly kind: 'json'; readonly encoding: Encoding; readonly isArray: boolean }
  | {
      readonly kind: 'xlsx';
      readonly hasHeader: boolean;
      /** The worksheet that is read, and all that are not hidden. */
      readonly sheet: string;
      readonly sheets: readonly string[];
    };

/** What `line` of a record counts. */
export type LineUnit = 'line' | 'item';

export const lineUnitOf = (format: FileFormat): LineUnit =>
  format.kind === 'json' && format.isArray ? 'item' : 'line';

/** Thrown for a file that cannot be imported, with a message for the user. */
export class FileRejectedError extends Error {
  override readonly name = 'FileRejectedError';
}
