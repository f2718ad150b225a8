import type { CopyConnection } from '../../../platform/database/copy-connections';
import type { CopyIn } from '../../../platform/database/copy-in';
import type { CheckedRow } from '../check/checked-row';
import type { ImportPlace } from '../job/import.repository';
import { COPY_LINES, VACUUM_LINES } from './line-sql';

/**
 * Number of steps between vacuums. Vacuuming keeps the table, which is filled and emptied all the
 * time, small enough to stay in memory.
 */
const VACUUM_EVERY_STEPS = 20;

/** Lines that are staged and committed, and will be written in one transaction. */
export interface StagedStep extends StepEnd {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly rows: number;
}

/** Counts at the end of a step, for its lines and all lines before them. */
export interface StepEnd {
  /** The line to continue from after the step is written. */
  readonly nextLine: number;
  readonly rowsRead: number;
  /** Number of lines that were rejected when they were read. */
  readonly refused: number;
}

/** Copies lines into the staging table, one step after another. */
export class LineStage {
  private readonly prefix: string;
  private copy: CopyIn | null = null;
  private firstLine = 0;
  private lastLine = 0;
  private steps = 0;
  /** Number of rows of the step in progress. */
  rows = 0;
  /** Their length, in UTF-16 code units. */
  length = 0;

  constructor(
    private readonly connection: CopyConnection,
    { datagridId, id }: ImportPlace,
  ) {
    this.prefix = `${datagridId}\t${id}\t`;
  }

  /** Adds a row to the step in progress. @returns whether to call `flush`. */
  add({ line, json }: CheckedRow): boolean {
    if (!this.copy) {
      this.copy = this.connection.copyIn(COPY_LINES);
      this.firstLine = line;
    }
    this.rows += 1;
    this.length += json.length;
    this.lastLine = line;
    const escaped = json.includes('\\') ? json.replaceAll('\\', '\\\\') : json;
    return this.copy.add(`${this.prefix}${String(line)}\t${escaped}\n`);
  }

  async flush(): Promise<void> {
    await this.copy?.flush();
  }

  /** Commits the step in progress. @returns `null` if it has no rows. */
  async endStep(end: StepEnd): Promise<StagedStep | null> {
    if (!this.copy) return null;
    await this.copy.end();
    this.copy = null;
    const { firstLine, lastLine, rows } = this;
    this.rows = this.length = 0;
    this.steps += 1;
    if (this.steps % VACUUM_EVERY_STEPS === 0) await this.connection.run(VACUUM_LINES);
    return { ...end, firstLine, lastLine, rows };
  }

  /** Discards the step in progress and releases the import's lock. */
  close(): void {
    this.connection.release();
  }
}
