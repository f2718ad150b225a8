import { Injectable } from '@nestjs/common';
import type { JsonValue } from '../../common/json/token-reader';
import { type Author, logChange } from '../../datagrids/change-log/change-log-sql';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { LinkEntryRepository } from '../../rows/link/link-entry.repository';
import {
  type Entered,
  enteredOf,
  enteredSuffix,
  enteredValues,
  forEachKind,
  insertRows,
  parameterAfter,
} from '../../rows/write/row-write-sql';
import { decompressed } from '../../rows/storage/row-json-sql';
import { uniqueColumnValues, uniqueHashes } from '../../rows/storage/unique-sql';
import { numberColumnValues, numbersSql, ReadOnlyValues } from '../../rows/values/read-only-values';
import { RAISE_WRITE_TIME } from '../../rows/write/counter.repository';
import type { RejectedLine } from '../job/import.entity';
import type { ImportRef } from '../job/import.repository';
import type { StagedStep } from '../stage/line-stage.repository';

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

interface InsertedRows {
  readonly count: number;
  /** The ids of the other rows follow. */
  readonly firstId: number | null;
}

/**
 * Reads, inserts and deletes staged lines. Call inside a transaction that holds the datagrid's
 * lock.
 */
@Injectable()
export class StepRepository {
  constructor(
    private readonly database: Database,
    private readonly signal: ChangeSignal,
    private readonly links: LinkEntryRepository,
  ) {}

  /**
   * Creates a row from each line of a step, and raises the revision by one.
   * @param count Expected number of rows. If fewer are created, the caller rolls back.
   * @returns the number of rows created.
   * @throws an error for which `isUniqueViolation` is true, if a unique value is already used.
   */
  async insert(
    schema: DatagridSchema,
    importRef: ImportRef,
    step: StagedStep,
    count: number,
    author: Author,
  ): Promise<number> {
    const { readOnly } = schema;
    const statement = readOnly ? insertReadOnlyStatement : insertStatement;
    const insert = statement(enteredOf(schema));
    const creator = new ReadOnlyValues(readOnly, author).creator('slot');
    const [created] = await this.database.run<InsertedRows>(insert, [
      ...range(importRef, step),
      count,
      author.userId,
      author.keyId,
      ...enteredValues(schema),
      ...(readOnly ? [...numberColumnValues(readOnly), JSON.stringify(creator)] : []),
    ]);
    this.signal.send(schema.datagridId);
    const { count: rows = 0, firstId = null } = created ?? {};
    const ids = Array.from({ length: rows }, (_, index) => (firstId ?? 0) + index);
    await this.links.enter(schema, author, ids);
    return rows;
  }

  /** Lists the values of unique columns on the lines of a step, in the order of the lines. */
  async listUniqueValues(
    schema: DatagridSchema,
    importRef: ImportRef,
    step: StagedStep,
  ): Promise<StagedValue[]> {
    const values = [...range(importRef, step), ...uniqueColumnValues(schema)];
    return this.database.run<StagedValue>(UNIQUE_VALUES, values);
  }

  /** Lists the lines of a step with links to rows that do not exist. @throws AppError `forbidden` */
  async listWrongLinks(
    schema: DatagridSchema,
    importRef: ImportRef,
    step: StagedStep,
    author: Author,
  ): Promise<RejectedLine[]> {
    if (schema.links.length === 0) return [];
    const lines = await this.listLines(importRef, step);
    const rows = lines.map(({ values }) => values);
    const wrong = await this.links.check(schema, author, rows, () => '');
    return [...wrong].map(([index, { details }]) => ({
      line: lines[index]?.line ?? 0,
      details: details.map(({ field, ...rest }) => ({ ...rest, field: field.slice(1) })),
    }));
  }

  async listLines(importRef: ImportRef, step: StagedStep): Promise<StagedLine[]> {
    return this.database.run<StagedLine>(LINES, range(importRef, step));
  }

  /** Deletes the staged lines of a step that has been written. */
  async remove(importRef: ImportRef, step: StagedStep): Promise<void> {
    await this.database.run(REMOVE, range(importRef, step));
  }

  async removeLines({ datagridId, id }: ImportRef, lines: readonly number[]): Promise<void> {
    await this.database.run(REMOVE_SOME, [datagridId, id, lines]);
  }
}

function range({ datagridId, id }: ImportRef, step: StagedStep): unknown[] {
  return [datagridId, id, step.firstLine, step.lastLine];
}

const STAGED =
  'FROM import_lines WHERE datagrid_id = $1 AND import_id = $2 AND line BETWEEN $3 AND $4';

const LOGGED = logChange(
  'create',
  {
    revision: 'counter.revision',
    firstId: 'counter.before + 1',
    rowCount: '$5::int',
    userId: '$6::uuid',
    keyId: '$7::uuid',
    at: 'counter.at',
  },
  'FROM counter',
);

/**
 * Creates rows from the `$5` lines of a step, by the author `$6` and `$7`. The transaction already
 * holds the datagrid's lock, so rows get the start time of this statement. All checks except those of
 * unique values were made before the lines were staged.
 * @param values SQL of the values of a row, which the line `staged` has.
 */
function insertStep(entered: Entered, name: string, values: string): Statement {
  return {
    name: `${name}${enteredSuffix(entered)}`,
    text: insertRows(entered, {
      given: `staged AS (
      SELECT row_number() OVER (ORDER BY line) AS ordinal, "values" ${STAGED}
    ), counter AS (
      UPDATE datagrid_counters
      SET last_row_id = last_row_id + $5::bigint, row_count = row_count + $5,
        revision = revision + 1, ${RAISE_WRITE_TIME}
      WHERE datagrid_id = $1
      RETURNING last_row_id - $5 AS before, revision, last_written_at AS at
    )`,
      from: 'counter CROSS JOIN staged',
      id: 'counter.before + staged.ordinal',
      values,
      revision: 'counter.revision',
      createdAt: 'counter.at',
      updatedAt: 'counter.at',
      returning: entered.hasUnique || entered.hasIndex ? 'r.id, r."values"' : 'r.id',
      then: `logged AS (${LOGGED}
    )`,
      columnsFrom: 8,
      sorts: true,
      result: 'SELECT count(*) AS count, min(id) AS "firstId" FROM created',
    }),
  };
}

const insertStatement = forEachKind((entered) =>
  insertStep(entered, 'import-step', 'staged."values"'),
);

/**
 * The same for a datagrid with columns whose values the service sets. The columns of numbers and the
 * author of the rows are in three parameters at the end.
 */
const insertReadOnlyStatement = forEachKind((entered) => {
  const first = parameterAfter(entered, 8);
  const numbers = numbersSql('(counter.before + staged.ordinal)', first);
  const values = `staged."values" || ${numbers} || $${String(first + 2)}::jsonb`;
  return insertStep(entered, 'import-step-read-only', values);
});

/** Finds the row that holds each value by its key. A join could read all unique values. */
const UNIQUE_VALUES: Statement = {
  name: 'import-unique-values',
  text: `
    WITH given AS MATERIALIZED (
      SELECT r.line, e.column_id, e.hash
      FROM ${uniqueHashes(`SELECT line, ${decompressed('"values"')} AS "values" ${STAGED}`, 5)}
    )
    SELECT g.line, g.column_id AS "columnId", encode(g.hash, 'hex') AS hash,
      (SELECT v.row_id FROM unique_values v
        WHERE v.datagrid_id = $1 AND v.column_id = g.column_id AND v.value_hash = g.hash
      ) AS "rowId"
    FROM given g ORDER BY g.line`,
};

const LINES: Statement = {
  name: 'import-lines',
  text: `SELECT line, "values" ${STAGED} ORDER BY line`,
};

const REMOVE: Statement = { name: 'import-remove', text: `DELETE ${STAGED}` };

/** Looks up each line by its key, because the planner has no statistics of this table. */
const REMOVE_SOME: Statement = {
  name: 'import-remove-some',
  text: `
    DELETE FROM import_lines
    WHERE datagrid_id = $1 AND ctid = ANY(ARRAY(
      SELECT (
        SELECT l.ctid FROM import_lines l
        WHERE l.datagrid_id = $1 AND l.import_id = $2 AND l.line = g.line
      )
      FROM unnest($3::bigint[]) AS g(line)
    ))`,
};
