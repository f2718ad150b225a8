import { Injectable } from '@nestjs/common';
import type { JsonValue } from '../../../common/json/json-value';
import type { DatagridSchema } from '../../../datagrids/schema/datagrid-schema';
import { Database } from '../../../platform/database/database';
import { indexedColumnValues } from '../../index/index-sql';
import { uniqueColumnValues } from '../../storage/unique-sql';
import type { ImportPlace } from '../job/import.repository';
import type { StagedStep } from '../stage/line-stage';
import * as sql from './step-sql';

/** A value of a unique column on a staged line. */
export interface StagedValue {
  readonly line: number;
  readonly columnId: number;
  readonly hash: string;
  /** The row that has the value; `null` if there is none. */
  readonly rowId: number | null;
}

export interface StagedLine {
  readonly line: number;
  /** Values by slot; `null` for a value that is cleared. */
  readonly values: Readonly<Record<string, JsonValue>>;
}

/**
 * Reads, inserts and deletes staged lines. Call inside a transaction that holds the datagrid's
 * lock.
 */
@Injectable()
export class StepRepository {
  constructor(private readonly database: Database) {}

  /**
   * Creates a row from each line of a step, and raises the revision by one.
   * @param count Expected number of rows.
   * @returns the number of rows created.
   * @throws an error for which `isUniqueViolation` is true, if a unique value is already used.
   */
  async insert(
    schema: DatagridSchema,
    place: ImportPlace,
    step: StagedStep,
    count: number,
  ): Promise<number> {
    const [hasUnique, hasIndex] = [schema.unique.length > 0, schema.indexed.length > 0];
    const insert = sql.insertStatement({ hasUnique, hasIndex });
    const [created] = await this.database.run<{ count: number }>(insert, [
      ...range(place, step),
      count,
      ...(hasUnique ? uniqueColumnValues(schema) : []),
      ...(hasIndex ? indexedColumnValues(schema) : []),
    ]);
    return created?.count ?? 0;
  }

  /** Lists the values of unique columns on the lines of a step, in the order of the lines. */
  async listUniqueValues(
    schema: DatagridSchema,
    place: ImportPlace,
    step: StagedStep,
  ): Promise<StagedValue[]> {
    const values = [...range(place, step), ...uniqueColumnValues(schema)];
    return this.database.run<StagedValue>(sql.UNIQUE_VALUES, values);
  }

  async listLines(place: ImportPlace, step: StagedStep): Promise<StagedLine[]> {
    return this.database.run<StagedLine>(sql.LINES, range(place, step));
  }

  /** Deletes the staged lines of a step that has been written. */
  async remove(place: ImportPlace, step: StagedStep): Promise<void> {
    await this.database.run(sql.REMOVE, range(place, step));
  }

  async removeLines({ datagridId, id }: ImportPlace, lines: readonly number[]): Promise<void> {
    await this.database.run(sql.REMOVE_SOME, [datagridId, id, lines]);
  }
}

function range({ datagridId, id }: ImportPlace, step: StagedStep): unknown[] {
  return [datagridId, id, step.firstLine, step.lastLine];
}
