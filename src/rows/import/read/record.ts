/** Why a record cannot be read. */
export class RecordFault {
  constructor(
    /** A code as in the `details` of an error. */
    readonly code: string,
    readonly message: string,
  ) {}
}

/** A record of a body and the lines that it spans, from 1. */
export interface SourceRecord<Content> {
  readonly line: number;
  /** The line after the record. */
  readonly nextLine: number;
  /** Approximate length in the file, in bytes or UTF-16 code units. */
  readonly length: number;
  readonly content: Content | RecordFault;
}

/** Maximum size of a record. */
export interface RecordLimits {
  /** In UTF-16 code units or bytes. */
  readonly maxLength: number;
  /** Maximum number of cells or members. A record with more is not read. */
  readonly maxCells: number;
}

export function tooManyCells(maxCells: number): RecordFault {
  const message = `has more than ${String(maxCells)} cells, the maximum for one line`;
  return new RecordFault('too_many', message);
}

export function tooLong(maxBytes: number): RecordFault {
  const message = `exceeds the maximum line length of ${String(maxBytes)} bytes`;
  return new RecordFault('too_large', message);
}
