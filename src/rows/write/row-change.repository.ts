import { Injectable } from '@nestjs/common';
import { type Author, logChange, turnOwner } from '../../datagrids/change-log/change-log-sql';
import type { JsonValue } from '../../common/json/token-reader';
import { ChangeSignal } from '../../datagrids/change-log/change-signal';
import type {
  DatagridSchema,
  ReadOnlyColumns,
  SchemaColumn,
} from '../../datagrids/schema/datagrid-schema';
import { Database } from '../../platform/database/database';
import { textsOf, type Statement } from '../../platform/database/text-query';
import { printInSlices } from '../../platform/fairness/event-loop-turns';
import { LinkEntryRepository } from '../link/link-entry.repository';
import {
  type Entered,
  enteredOf,
  enteredSuffix,
  enteredValues,
  forEachKindAndHistory,
} from './row-write-sql';
import { moveRows } from '../storage/index-entries-sql';
import {
  decompressed,
  eachColumn,
  ROW_JSON,
  storeVersions,
  timeText,
  versionColumns,
  VISIBLE_VALUES,
} from '../storage/row-json-sql';
import { releaseUnique, uniqueColumns, uniqueHash } from '../storage/unique-sql';
import { RAISE_WRITE_TIME, type RowWrite, WRITE_TIME } from './counter.repository';
import { withMembers } from '../storage/row-json';
import { ReadOnlyValues } from '../values/read-only-values';

/**
 * Locks the datagrid's counter row and raises the revision. Runs as its own statement so that later
 * statements see rows committed while it waited.
 */
const LOCK: Statement = {
  name: 'row-lock-counter',
  text: `
    WITH taken AS (
      UPDATE datagrid_counters SET revision = revision + 1, ${RAISE_WRITE_TIME}
      WHERE datagrid_id = $1 AND schema_version = $2
      RETURNING revision, last_written_at
    )
    SELECT revision, ${timeText(WRITE_TIME)} AS at FROM taken`,
};

const REVISION: Statement = {
  name: 'row-revision',
  text: 'SELECT revision FROM rows WHERE datagrid_id = $1 AND id = $2',
};

const VALUES: Statement = {
  name: 'row-values',
  text: `
    SELECT coalesce((
      SELECT jsonb_object_agg(s.slot, r."values" -> s.slot)
      FROM unnest($3::text[]) AS s(slot) WHERE r."values" ? s.slot
    ), '{}') AS "values"
    FROM rows r WHERE r.datagrid_id = $1 AND r.id = $2`,
};

/**
 * Returns common table expressions that move the claims on unique values of the rows in `changed`.
 */
const moveClaims = (first: number, isDistributed: boolean): string => `, rehashed AS (
    SELECT r.id, e.*
    FROM ${eachColumn(
      `SELECT id, "values", ${decompressed('old_values')} AS old_values FROM changed`,
      `SELECT u.column_id, ${uniqueHash('r.old_values')} AS old_hash,
        ${uniqueHash('r."values"')} AS new_hash
      FROM ${uniqueColumns(first)}`,
    )}
  ), released AS (
    ${releaseUnique(
      `
      SELECT column_id, old_hash AS hash FROM rehashed
      WHERE old_hash IS NOT NULL AND old_hash IS DISTINCT FROM new_hash`,
      isDistributed,
    )}
    RETURNING row_id
  ), claimed AS (
    INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
    SELECT $1, column_id, new_hash, id FROM rehashed
    WHERE new_hash IS NOT NULL AND new_hash IS DISTINCT FROM old_hash
      AND (SELECT count(*) FROM released) >= 0
  )`;

const LOGGED = logChange('update', {
  revision: '$2',
  part: '$7',
  rowCount: 'cardinality($8::bigint[])',
  rowIds: '$8',
  userId: '$5',
  keyId: '$6',
  at: '$4',
});

const STORED_VERSIONS = `, versioned AS (${storeVersions({
  from: 'old',
  isDeletion: false,
  isHistory: true,
  revision: '$2',
  at: '$4::timestamptz',
  userId: '$5::uuid',
  keyId: '$6::uuid',
})}
  )`;

const KEPT = `
      ARRAY(SELECT jsonb_array_elements_text(g.item -> 'kept')) AS kept,`;

/** The values of row `r` in the slots `given.kept`. */
const KEPT_VALUES = `(
          SELECT coalesce(jsonb_object_agg(k.slot, r."values" -> k.slot), '{}')
          FROM unnest(given.kept) AS k(slot) WHERE r."values" ? k.slot
        )`;

const oldColumns = (keepsHistory: boolean): string =>
  keepsHistory ? versionColumns('r') : 'r.id, r."values"';

/**
 * Returns SQL that changes rows by `$3`, an array of `{ id, values, cleared, replaces }`, and with
 * `keepsSlots` of `kept`, the slots that keep their values if `values` replaces the others. A unique
 * value is released and claimed only if it really changes. All values are released before any is
 * claimed, because one row may take a value that another row gives up. `$4` is the time of the
 * write; `$5` to `$8` are its author, the part, and the ids of the rows, for the change log. The
 * unique and indexed columns follow, if there are any.
 */
const changing = (
  entered: Entered,
  keepsHistory: boolean,
  keepsSlots: boolean,
  result: string,
  isDistributed: boolean,
): string => `
  WITH given AS (
    SELECT (g.item ->> 'id')::bigint AS id, g.item -> 'values' AS "values",
      ARRAY(SELECT jsonb_array_elements_text(g.item -> 'cleared')) AS cleared,${keepsSlots ? KEPT : ''}
      (g.item -> 'replaces')::boolean AS replaces
    FROM jsonb_array_elements($3::jsonb) AS g(item)
  ), old AS (
    SELECT ${oldColumns(keepsHistory)} FROM given JOIN rows r ON r.datagrid_id = $1 AND r.id = given.id
  ), changed AS (
    UPDATE rows r
    SET "values" = CASE WHEN given.replaces THEN given."values"${keepsSlots ? ` || ${KEPT_VALUES}` : ''}
        ELSE (r."values" || given."values") - given.cleared END,
      revision = $2, updated_at = $4::timestamptz
    FROM old JOIN given ON given.id = old.id
    WHERE r.datagrid_id = $1 AND r.id = old.id
    RETURNING r.*, old."values" AS old_values
  ), logged AS (${LOGGED}
  )${keepsHistory ? STORED_VERSIONS : ''}${entered.hasUnique ? moveClaims(9, isDistributed) : ''}${entered.hasIndex ? `, ${moveRows('changed', entered.hasUnique ? 12 : 9, isDistributed)}` : ''}
  ${result}`;

type KindOfStatement = (entered: Entered, keepsHistory: boolean) => Statement;

/** Returns the variants of a statement that changes rows: also for rows that keep values in some slots. */
function changeStatements(
  name: string,
  result: string,
): (entered: Entered, keepsHistory: boolean, keepsSlots: boolean) => Statement {
  const [replacing, keeping] = [false, true].map((keepsSlots) =>
    forEachKindAndHistory((entered, keepsHistory) => ({
      name: `${name}${keepsSlots ? '-kept' : ''}${enteredSuffix(entered)}`,
      ...textsOf((isDistributed) =>
        changing(entered, keepsHistory, keepsSlots, result, isDistributed),
      ),
    })),
  ) as [KindOfStatement, KindOfStatement];
  return (entered, keepsHistory, keepsSlots) =>
    (keepsSlots ? keeping : replacing)(entered, keepsHistory);
}

const changeStatement = changeStatements(
  'row-change',
  `SELECT ${ROW_JSON} AS json, octet_length((${VISIBLE_VALUES})::text) AS bytes
      FROM changed r JOIN datagrids d ON d.id = r.datagrid_id`,
);

const changeManyStatement = changeStatements(
  'row-change-many',
  'SELECT count(*) AS count FROM changed',
);

export interface RowChange {
  /** Values by slot, as JSON text. */
  readonly json: string;
  /** Slots whose values are cleared; empty if `replaces` is true. */
  readonly cleared: readonly string[];
  /** Whether `json` replaces all values of the row. */
  readonly replaces: boolean;
}

/**
 * The slots whose values may differ after a change; `null` for all. Claims and index entries of
 * other columns are neither changed nor read.
 */
export type ChangedSlots = ReadonlySet<string> | null;

export interface Changed {
  /** The row after the change, as the API returns it. */
  readonly json: string;
  /** Size in bytes of the row's visible values, as PostgreSQL prints jsonb. */
  readonly bytes: number;
}

/** Changes rows. Call inside a transaction that calls `lock` first. */
@Injectable()
export class RowChangeRepository {
  constructor(
    private readonly database: Database,
    private readonly signal: ChangeSignal,
    private readonly links: LinkEntryRepository,
  ) {}

  /**
   * Takes the datagrid's lock until the end of the transaction and raises the revision.
   * @returns `null` if the columns are no longer those of `schema`.
   */
  async lock(schema: DatagridSchema, author: Author): Promise<RowWrite | null> {
    const values = [schema.datagridId, schema.version];
    const [locked] = await this.database.run<Omit<RowWrite, 'author'>>(LOCK, values);
    this.signal.send(schema.datagridId);
    return locked ? { ...locked, author } : null;
  }

  /** Returns the revision of a row's last write; `null` if the row does not exist. */
  async findRevision(datagridId: string, rowId: number): Promise<number | null> {
    const values = [datagridId, rowId];
    const [found] = await this.database.run<{ revision: number }>(REVISION, values);
    return found?.revision ?? null;
  }

  /** Returns the values of a row in some slots; `null` if the row does not exist. */
  async findValues(
    datagridId: string,
    rowId: number,
    slots: readonly string[],
  ): Promise<Readonly<Record<string, JsonValue>> | null> {
    const values = [datagridId, rowId, slots];
    const [found] = await this.database.run<{ values: Record<string, JsonValue> }>(VALUES, values);
    return found?.values ?? null;
  }

  /**
   * Changes one row.
   * @returns `null` if the row does not exist.
   * @throws WrongLinksError, or AppError `forbidden`, for links.
   */
  async change(
    schema: DatagridSchema,
    rowId: number,
    write: RowWrite,
    change: RowChange,
    slots: ChangedSlots,
  ): Promise<Changed | null> {
    const touched = touchedColumns(schema, slots);
    const values = await changeValues(schema, write, 0, [{ ...change, id: rowId }], touched);
    const keeps = keepsSlots(schema, [change]);
    const statement = changeStatement(touched, schema.keepsHistory, keeps);
    const [changed] = await this.database.run<Changed>(statement, values);
    if (changed && touchesLinks(schema, slots)) {
      await this.links.enter(schema, write.author, [rowId]);
    }
    return changed ?? null;
  }

  /**
   * Changes existing rows, each at most once.
   * @param part Number of this change among those of the write.
   * @param links `later` if the caller enters the links, because rows that follow are among the linked.
   */
  async changeMany(
    schema: DatagridSchema,
    write: RowWrite,
    part: number,
    changes: readonly IdentifiedChange[],
    slots: ChangedSlots,
    links: 'now' | 'later' = 'now',
  ): Promise<void> {
    const touched = touchedColumns(schema, slots);
    const values = await changeValues(schema, write, part, changes, touched);
    const keeps = keepsSlots(schema, changes);
    await this.database.run(changeManyStatement(touched, schema.keepsHistory, keeps), values);
    if (links === 'later' || !touchesLinks(schema, slots)) return;
    const ids = changes.map(({ id }) => id);
    await this.links.enter(schema, write.author, ids);
  }
}

function touchesLinks({ links }: DatagridSchema, slots: ChangedSlots): boolean {
  return links.some(({ slot }) => slots?.has(slot) ?? true);
}

interface TouchedColumns extends Entered {
  readonly unique: readonly SchemaColumn[];
  readonly indexed: readonly SchemaColumn[];
}

function touchedColumns(schema: DatagridSchema, slots: ChangedSlots): TouchedColumns {
  const { updatedBy = [] } = schema.readOnly ?? {};
  const isTouched = (column: SchemaColumn): boolean =>
    (slots?.has(column.slot) ?? true) || updatedBy.includes(column);
  const unique = schema.unique.filter(isTouched);
  const indexed = schema.indexed.filter(isTouched);
  return { unique, indexed, ...enteredOf({ unique, indexed }) };
}

/** Returns whether rows keep values that replacements of their values do not contain. */
function keepsSlots({ readOnly }: DatagridSchema, changes: readonly RowChange[]): boolean {
  return (readOnly?.createdBy.length ?? 0) > 0 && changes.some(({ replaces }) => replaces);
}

/** A change with the row that it changes. */
export type IdentifiedChange = RowChange & { readonly id: number };

/** Returns a function that adds the values that the service sets to a change. */
function readOnlyChanges(
  readOnly: ReadOnlyColumns,
  author: Author,
): (change: IdentifiedChange) => IdentifiedChange {
  const values = new ReadOnlyValues(readOnly, author);
  const updater = values.updater();
  const slots = readOnly.updatedBy.map(({ slot }) => slot);
  // The service itself has no id.
  const gone = slots.filter((slot) => !Object.hasOwn(updater, slot));
  return ({ id, json, cleared, replaces }) => {
    const added = replaces ? { ...updater, ...values.numbers(id) } : updater;
    return { id, json: withMembers(json, added), cleared: [...cleared, ...gone], replaces };
  };
}

async function changeValues(
  schema: DatagridSchema,
  { revision, at, author }: RowWrite,
  part: number,
  changes: readonly IdentifiedChange[],
  touched: TouchedColumns,
): Promise<unknown[]> {
  const keptSlots = JSON.stringify(schema.readOnly?.createdBy.map(({ slot }) => slot) ?? []);
  const withReadOnly = schema.readOnly && readOnlyChanges(schema.readOnly, author);
  const owner = turnOwner(author, schema.datagridId);
  const given = await printInSlices(owner, changes, (change) => {
    const { id, json, cleared, replaces } = withReadOnly?.(change) ?? change;
    const rest = `"cleared":${JSON.stringify(cleared)},"replaces":${String(replaces)}`;
    const kept = replaces && withReadOnly ? `,"kept":${keptSlots}` : '';
    return `{"id":${String(id)},"values":${json},${rest}${kept}}`;
  });
  return [
    schema.datagridId,
    revision,
    given,
    at,
    author.userId,
    author.keyId,
    part,
    changes.map(({ id }) => id),
    ...enteredValues(touched),
  ];
}
