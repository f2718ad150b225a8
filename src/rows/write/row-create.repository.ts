import { Injectable } from '@nestjs/common';
import { type Author, logChange } from '../../datagrids/change-log/change-log-sql';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { LinkEntryRepository } from '../link/link-entry.repository';
import {
  type Entered,
  enteredOf,
  enteredSuffix,
  enteredValues,
  forEachKind,
  insertRows,
  parameterAfter,
} from './row-write-sql';
import type { Created } from '../storage/row-json';
import { timeText } from '../storage/row-json-sql';
import { numberColumnValues, numbersSql } from '../values/read-only-values';
import { RAISE_WRITE_TIME, type RowWrite, WRITE_TIME } from './counter.repository';

/** Rows to create. */
export interface NewRows {
  /** JSON text of an array of values by slot. */
  readonly json: string;
  readonly count: number;
}

/** Number of consecutive rows that one author creates. */
export interface AuthorRun {
  readonly count: number;
  readonly author: Author;
}

@Injectable()
export class RowCreateRepository {
  constructor(
    private readonly database: Database,
    private readonly signal: ChangeSignal,
    private readonly links: LinkEntryRepository,
  ) {}

  /**
   * Creates all rows or none, as one write with one revision.
   * @returns `null` if the columns are no longer those of `schema`.
   * @throws an error for which `isUniqueViolation` is true, if a unique value is already used;
   *   WrongLinksError, or AppError `forbidden`, for links.
   */
  async create(schema: DatagridSchema, rows: NewRows, author: Author): Promise<Created | null> {
    const runs = [{ count: rows.count, author }];
    const create = (): Promise<Created | null> =>
      this.number(schema, rows, [1, ...runValues(runs)]);
    if (schema.links.length === 0) return create();
    return this.database.transaction(async () => {
      const created = await create();
      if (created) await this.links.enter(schema, author, idsOf(created, rows.count));
      return created;
    });
  }

  /**
   * Like `create`, for rows that each have their own revision. The datagrid must have no links.
   * @param runs The authors of the rows, in order.
   * @returns the highest revision, which is that of the last row.
   */
  async createEach(
    schema: DatagridSchema,
    rows: NewRows,
    runs: readonly AuthorRun[],
  ): Promise<Created | null> {
    return this.number(schema, rows, [rows.count, ...runValues(runs)]);
  }

  /** Creates rows, and assigns their numbers if the datagrid has columns for them. */
  private async number(
    schema: DatagridSchema,
    rows: NewRows,
    values: readonly unknown[],
  ): Promise<Created | null> {
    const { readOnly } = schema;
    if (!readOnly || readOnly.numbers.length === 0)
      return this.run(createStatement, schema, rows, values);
    return this.run(createNumberedStatement, schema, rows, values, numberColumnValues(readOnly));
  }

  /**
   * Like `create`, in a transaction that holds the lock and has already raised the revision. The rows
   * must have their numbers.
   * @param part Number of this change among those of the write.
   */
  async createIn(
    { author }: RowWrite,
    schema: DatagridSchema,
    rows: NewRows,
    part: number,
  ): Promise<void> {
    const values = [part, author.userId, author.keyId];
    const created = await this.run(createInStatement, schema, rows, values);
    if (created) await this.links.enter(schema, author, idsOf(created, rows.count));
  }

  private async run(
    statementOf: (entered: Entered) => Statement,
    schema: DatagridSchema,
    { json, count }: NewRows,
    values: readonly unknown[],
    numbers: readonly unknown[] = [],
  ): Promise<Created | null> {
    const [created] = await this.database.run<Created>(statementOf(enteredOf(schema)), [
      schema.datagridId,
      schema.version,
      json,
      count,
      ...values,
      ...enteredValues(schema),
      ...numbers,
    ]);
    if (created) this.signal.send(schema.datagridId);
    return created ?? null;
  }
}

function idsOf({ firstId }: Created, count: number): number[] {
  return Array.from({ length: count }, (_, index) => firstId + index);
}

/** Returns parameters for `LOGGED_RUNS`. */
function runValues(runs: readonly AuthorRun[]): unknown[] {
  return [
    runs.map(({ count }) => count),
    runs.map(({ author }) => author.userId),
    runs.map(({ author }) => author.keyId),
  ];
}

/** Rows from the items of `$3`, with the next ids of the counter. */
const NUMBERED_ITEMS = {
  from: `counter
      CROSS JOIN jsonb_array_elements($3::jsonb) WITH ORDINALITY AS item(value, ordinal)`,
  id: 'counter.before + item.ordinal',
  createdAt: 'counter.at',
  updatedAt: 'counter.at',
  result: `SELECT before + 1 AS "firstId", revision, ${timeText('at')} AS at FROM counter`,
};

/** Logs the rows of each author: those numbered up to `run.end` of the `$4` rows. */
const LOGGED_RUNS = logChange(
  'create',
  {
    revision: 'counter.revision - CASE WHEN $5::bigint = $4 THEN $4 - run.end ELSE 0 END',
    revisions: 'CASE WHEN $5::bigint = $4 THEN run.count ELSE 1 END',
    firstId: 'counter.before + run.end - run.count + 1',
    rowCount: 'run.count',
    userId: 'run.user_id',
    keyId: 'run.key_id',
    at: 'counter.at',
  },
  `FROM counter CROSS JOIN (
      SELECT *, sum(count) OVER (ORDER BY ordinal) AS end
      FROM unnest($6::int[], $7::uuid[], $8::uuid[])
        WITH ORDINALITY AS each(count, user_id, key_id, ordinal)
    ) run`,
);

const LOGGED_PART = logChange(
  'create',
  {
    revision: 'counter.revision',
    part: '$5::int',
    firstId: 'counter.before + 1',
    rowCount: '$4::int',
    userId: '$6::uuid',
    keyId: '$7::uuid',
    at: 'counter.at',
  },
  'FROM counter',
);

/**
 * Creates rows as one statement. It locks the counter first, so that writes are ordered and ids are
 * assigned only to rows that are really created. Rows get the time after the wait for the lock.
 * Parameters: the datagrid, the version of its columns, an array of values by slot, the number of
 * rows, the increment of the revision (1, or the number of rows), three arrays with the number of
 * rows, user and key of each author, and the unique and indexed columns, if there are any.
 * @param values SQL of the values of a row, which the item `item` has.
 */
const creating = (entered: Entered, values: string): string =>
  insertRows(entered, {
    given: `taken AS (
      UPDATE datagrid_counters
      SET last_row_id = last_row_id + $4, row_count = row_count + $4,
        revision = revision + $5::bigint, ${RAISE_WRITE_TIME}
      WHERE datagrid_id = $1 AND schema_version = $2
      RETURNING last_row_id - $4 AS before, revision, last_written_at
    ), counter AS MATERIALIZED (
      SELECT before, revision, ${WRITE_TIME} AS at FROM taken
    )`,
    ...NUMBERED_ITEMS,
    values,
    revision: 'counter.revision - CASE WHEN $5::bigint = $4 THEN $4 - item.ordinal ELSE 0 END',
    then: `logged AS (${LOGGED_RUNS}
    )`,
    columnsFrom: 9,
  });

export const createStatement = forEachKind((entered) => ({
  name: `row-create${enteredSuffix(entered)}`,
  text: creating(entered, 'item.value'),
}));

/** Like `createStatement`, with the columns of numbers in two parameters at the end. */
const createNumberedStatement = forEachKind((entered) => ({
  name: `row-create-numbered${enteredSuffix(entered)}`,
  text: creating(
    entered,
    `item.value || ${numbersSql('(counter.before + item.ordinal)', parameterAfter(entered, 9))}`,
  ),
}));

/**
 * Creates rows in a transaction that has already raised the revision. They get the time that it has
 * set for its write. Parameters: as `createStatement` up to the number of rows; then the part, the
 * user and the key; then the unique and indexed columns, if there are any.
 */
const createInStatement = forEachKind((entered) => ({
  name: `row-create-in${enteredSuffix(entered)}`,
  text: insertRows(entered, {
    given: `counter AS (
      UPDATE datagrid_counters
      SET last_row_id = last_row_id + $4, row_count = row_count + $4
      WHERE datagrid_id = $1 AND schema_version = $2
      RETURNING last_row_id - $4 AS before, revision, last_written_at AS at
    )`,
    ...NUMBERED_ITEMS,
    values: 'item.value',
    revision: 'counter.revision',
    then: `logged AS (${LOGGED_PART}
    )`,
    columnsFrom: 8,
  }),
}));
