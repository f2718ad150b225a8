import type { CopyConnection } from '../../../platform/database/copy-connections';
import type { CopyIn } from '../../../platform/database/copy-in';
import type { CheckedRow } from '../check/checked-row';
import type { ImportPlace } from '../job/import.repository';
import { COPY_LINES, VACUUM_LINES } from './line-sql';

/** Keeps the table, which is filled and emptied all the time, small enough to stay in memory. */
const VACUUM_EVERY_STEPS = 20;

/** Lines that are staged, committed, and to be written in one transaction. */
export interface StagedStep extends StepEnd {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly rows: number;
}

/** What is known at the end of a step, of its lines and all before them. */
export interface StepEnd {
  /** The line to go on from once they are written. */
  readonly nextLine: number;
  readonly rowsRead: number;
  /** Lines that were refused when they were read. */
  readonly refused: number;
}

/** Copies lines into the staging table, one step after another. */
export class LineStage {
  private readonly prefix: string;
  private copy: CopyIn | null = null;
  private firstLine = 0;
  private lastLine = 0;
  private steps = 0;
  /** Rows of the step in progress. */
  rows = 0;
  /** Their length, in UTF-16 units. */
  length = 0;

  constructor(
    private readonly connection: CopyConnection,
    { datagridId, id }: ImportPlace,
  ) {
    this.prefix = `${datagridId}\t${id}\t`;
  }

  /** Takes a row into the step in progress. @returns whether it is time to `flush`. */
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

  /** Commits the step in progress; `null` where it has no rows. */
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

  /** Gives up the step in progress, and lets go of the import. */
  close(): void {
    this.connection.release();
  }
}
