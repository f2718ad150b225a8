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
  readonly content: Content | RecordFault;
}

export function tooLong(mostBytes: number): RecordFault {
  const message = `is longer than ${String(mostBytes)} bytes, the most that a line may have`;
  return new RecordFault('too_large', message);
}
