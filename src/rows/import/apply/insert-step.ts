import { Injectable } from '@nestjs/common';
import { unavailable } from '../../../common/error/app-error';
import type { FieldError } from '../../../common/error/field-error';
import type { DatagridSchema } from '../../../datagrids/schema/datagrid-schema';
import { Database } from '../../../platform/database/database';
import { isUniqueViolation } from '../../write/unique-conflict.repository';
import type { RefusedLine } from '../job/import-report';
import type { ImportPlace, StepCounts } from '../job/import.repository';
import type { StagedStep } from '../stage/line-stage';
import { StepRepository, type StagedValue } from './step.repository';

/** Result of writing the lines of a step. */
export interface StepOutcome extends StepCounts {
  readonly refused: readonly RefusedLine[];
}

/**
 * Creates rows from the lines of a step. Call inside a transaction that holds the datagrid's lock.
 */
@Injectable()
export class InsertStep {
  constructor(
    private readonly database: Database,
    private readonly steps: StepRepository,
  ) {}

  async apply(schema: DatagridSchema, place: ImportPlace, step: StagedStep): Promise<StepOutcome> {
    const isDone = await this.tryAll(schema, place, step);
    if (isDone) return { created: step.rows, updated: 0, unchanged: 0, refused: [] };
    const refused = repeated(schema, await this.steps.listUniqueValues(schema, place, step));
    await this.steps.removeLines(
      place,
      refused.map(({ line }) => line),
    );
    const created = step.rows - refused.length;
    if (created > 0) await this.insert(schema, place, step, created);
    return { created, updated: 0, unchanged: 0, refused };
  }

  /**
   * Inserts all lines of a step, or none.
   * @returns `false` if a unique value conflicts. Nothing was written then.
   */
  private async tryAll(
    schema: DatagridSchema,
    place: ImportPlace,
    step: StagedStep,
  ): Promise<boolean> {
    try {
      await this.database.savepoint(() => this.insert(schema, place, step, step.rows));
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  private async insert(
    schema: DatagridSchema,
    place: ImportPlace,
    step: StagedStep,
    count: number,
  ): Promise<void> {
    if ((await this.steps.insert(schema, place, step, count)) !== count) throw linesLost();
  }
}

/**
 * Returns the error for staged lines that are missing. PostgreSQL truncates their unlogged table
 * when it recovers from a crash.
 */
export function linesLost(): Error {
  return unavailable('The database was restarted while the import was running.');
}

/**
 * Returns the lines that cannot be created. Goes through the lines in order: a value must not be
 * used by a stored row, or by an earlier line that can be created.
 */
function repeated({ unique }: DatagridSchema, values: readonly StagedValue[]): RefusedLine[] {
  const keys = new Map(unique.map(({ id, key }) => [id, key]));
  const byLine = new Map<number, StagedValue[]>();
  for (const value of values) {
    byLine.set(value.line, [...(byLine.get(value.line) ?? []), value]);
  }
  const lineOf = new Map<string, number>();
  return [...byLine].flatMap(([line, own]) => {
    const details = own.flatMap((value): FieldError[] => {
      const holder = holderOf(value, lineOf.get(nameOf(value)));
      if (holder === undefined) return [];
      const message = `must be unique, but ${holder} already has this value`;
      return [{ field: keys.get(value.columnId) ?? '', code: 'duplicate', message }];
    });
    if (details.length > 0) return [{ line, details }];
    own.forEach((value) => lineOf.set(nameOf(value), line));
    return [];
  });
}

function holderOf({ rowId }: StagedValue, line: number | undefined): string | undefined {
  if (rowId !== null) return `row ${String(rowId)}`;
  return line === undefined ? undefined : `line ${String(line)}`;
}

const nameOf = ({ columnId, hash }: StagedValue): string => `${String(columnId)} ${hash}`;
