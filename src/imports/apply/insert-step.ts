import { Injectable } from '@nestjs/common';
import { type FieldError, unavailable } from '../../common/error/app-error';
import type { Author } from '../../datagrids/change-log/change-log-sql';
import {
  type DatagridSchema,
  findColumn,
  type SchemaColumn,
  isSameColumn,
} from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { isUniqueViolation } from '../../rows/write/unique-conflict.repository';
import type { RejectedLine } from '../job/import.entity';
import type { ImportRef, StepOutcome } from '../job/import.repository';
import type { StagedStep } from '../stage/line-stage.repository';
import { type StagedValue, StepRepository } from './step.repository';

/**
 * Creates rows from the lines of a step. Call inside a transaction that holds the datagrid's lock.
 */
@Injectable()
export class InsertStep {
  constructor(
    private readonly database: Database,
    private readonly steps: StepRepository,
  ) {}

  async apply(
    schema: DatagridSchema,
    importRef: ImportRef,
    step: StagedStep,
    author: Author,
  ): Promise<StepOutcome> {
    const wrong = await this.steps.listWrongLinks(schema, importRef, step, author);
    if (wrong.length > 0) await this.steps.removeLines(importRef, linesOf(wrong));
    const rows = step.rows - wrong.length;
    const isDone = rows === 0 || (await this.tryAll(schema, importRef, step, rows, author));
    if (isDone) return { created: rows, updated: 0, unchanged: 0, rejected: wrong, rowIds: [] };
    const others = repeated(schema, await this.steps.listUniqueValues(schema, importRef, step));
    await this.steps.removeLines(importRef, linesOf(others));
    const created = rows - others.length;
    if (created > 0) await this.insert(schema, importRef, step, created, author);
    const rejected = [...wrong, ...others].sort((a, b) => a.line - b.line);
    return { created, updated: 0, unchanged: 0, rejected, rowIds: [] };
  }

  /**
   * Inserts all lines of a step, or none.
   * @returns `false` if a unique value conflicts. Nothing was written then.
   */
  private async tryAll(
    schema: DatagridSchema,
    importRef: ImportRef,
    step: StagedStep,
    rows: number,
    author: Author,
  ): Promise<boolean> {
    try {
      await this.database.savepoint(() => this.insert(schema, importRef, step, rows, author));
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  private async insert(
    schema: DatagridSchema,
    importRef: ImportRef,
    step: StagedStep,
    count: number,
    author: Author,
  ): Promise<void> {
    const created = await this.steps.insert(schema, importRef, step, count, author);
    if (created !== count) throw linesLost();
  }
}

const linesOf = (rejected: readonly RejectedLine[]): number[] => rejected.map(({ line }) => line);

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
function repeated({ unique }: DatagridSchema, values: readonly StagedValue[]): RejectedLine[] {
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

/**
 * Returns whether lines that were checked against the columns `before` also fit the columns `now`:
 * every used column is unchanged, no required column has been added, and none has lost its default
 * value.
 */
export function fitsStill(
  used: readonly SchemaColumn[],
  matchOn: readonly string[],
  before: DatagridSchema,
  now: DatagridSchema,
): boolean {
  const areSame = used.every((column) => {
    const other = findColumn(now, column.key);
    const needsUnique = matchOn.includes(column.key);
    return other && isSameColumn(column, other) && (!needsUnique || other.unique);
  });
  const required = new Set(before.required.map(({ id }) => id));
  const defaulted = new Set(now.defaulted.map(({ id }) => id));
  const lostDefault = before.defaulted.some(
    ({ id, required: needs }) => needs && !defaulted.has(id),
  );
  return areSame && !lostDefault && now.required.every(({ id }) => required.has(id));
}
