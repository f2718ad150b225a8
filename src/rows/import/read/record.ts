/** Why a record cannot be read. */
export class RecordFault {
  constructor(
    /** One of those of `details`. */
    readonly code: string,
    readonly message: string,
  ) {}
}

/** A record of a body, and the lines it stands on, which count from 1. */
export interface SourceRecord<Content> {
  readonly line: number;
  /** The line after it. */
  readonly nextLine: number;
  /** Approximate length in the file, in bytes or in UTF-16 units. */
  readonly length: number;
  readonly content: Content | RecordFault;
}

/** How large a record may be. */
export interface RecordLimits {
  /** In UTF-16 units or bytes. */
  readonly maxLength: number;
  /** Cells, or members: those of a record with more are not read. */
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
