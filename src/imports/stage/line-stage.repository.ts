import { Injectable } from '@nestjs/common';
import {
  type CopyConnection,
  CopyConnections,
  type CopyIn,
} from '../../platform/database/copy-connections';
import type { CheckedRow } from '../check/row-rules';
import { HOLD } from '../job/import-sql';
import type { ImportRef } from '../job/import.repository';

@Injectable()
export class LineStageRepository {
  constructor(private readonly connections: CopyConnections) {}

  /**
   * Opens a stage for the lines of an import. Its session holds the import's lock until the stage
   * is closed.
   */
  async open(importRef: ImportRef): Promise<LineStage> {
    const connection = await this.connections.take();
    try {
      await connection.run(HOLD, [importRef.id]);
      return new LineStage(connection, importRef);
    } catch (error) {
      connection.release();
      throw error;
    }
  }
}

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
  readonly rejected: number;
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
    { datagridId, id }: ImportRef,
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

const COPY_LINES = 'COPY import_lines (datagrid_id, import_id, line, "values") FROM STDIN';

/** Vacuums the staged lines. Of concurrent vacuums, one does the work and the others skip it. */
const VACUUM_LINES = 'VACUUM (SKIP_LOCKED) import_lines';
