import {
  type CarriedTables,
  type StagedTables,
  type StoredColumn,
  storedNames,
} from './clickhouse-sql';

/**
 * Statements for the versions of rows in mode `history`. A version keeps the place `_first` at which it
 * began, and a later row with the same `_first` replaces it: it ends the version, or fills columns. Each
 * statement is one insert that reads which versions are current, so that a step that is done again adds
 * no version twice.
 */

const OWN = '_id, _revision, _version, _deleted, _first, _synced_at, _valid_to';
/** One time for all rows of a statement, so that a version begins when the one before it ends. */
const WITH_TIME = "WITH (SELECT now64(3, 'UTC')) AS step_time";
const TIME = 'assumeNotNull(step_time)';

/**
 * Applies changes.
 * @param version Version of the rows that are written. It rises with each step.
 */
export function mergeVersionsSql(tables: StagedTables, version: string, condition: string): string {
  const { data, stage, given, all } = tables;
  const values = all.map((column) => {
    const { stored } = column;
    const line = given.includes(column) ? `s.${stored}` : `if(s.part = 'fill', t.${stored}, NULL)`;
    return `, if(s.part = 'end', t.${stored}, ${line})`;
  });
  return `
    INSERT INTO ${data} (${OWN}${storedNames(all)})
    ${WITH_TIME}
    SELECT s._id, if(s.part = 'end', t._revision, s._revision), ${version}, 0,
      if(s.part = 'add', ${version}, t._first), if(s.part = 'add', ${TIME}, t._synced_at),
      if(s.part = 'end', ${TIME}, NULL)${values.join('')}
    FROM (SELECT *, arrayJoin(['end', 'fill', 'add']) AS part FROM ${stage}) AS s
    LEFT JOIN (${currentSql(data, all, `_id IN (SELECT _id FROM ${stage})`)}) AS t ON t._id = s._id
    WHERE multiIf(
      isNull(t._id), s.part = 'add' AND s._deleted = 0,
      t._revision < s._revision, s.part = 'end' OR (s.part = 'add' AND s._deleted = 0),
      t._revision > s._revision, 0,
      s._deleted = 1, s.part = 'end',
      s.part = 'fill' AND NOT (${areEqual(given.map(({ stored }) => [stored, stored]))})
    ) AND ${condition}`;
}

/** Replaces the current versions of a range. */
export function replaceVersionsSql(
  tables: StagedTables,
  version: string,
  condition: string,
  isIn: string,
): string {
  const { data, stage, given, all } = tables;
  const values = all.map((column) => {
    const { stored } = column;
    return `, if(isEnd, t.${stored}, ${given.includes(column) ? `s.${stored}` : 'NULL'})`;
  });
  return `
    INSERT INTO ${data} (${OWN}${storedNames(all)})
    ${WITH_TIME}, ifNull(s.part, 'end') = 'end' AS isEnd
    SELECT if(isEnd, t._id, s._id), if(isEnd, t._revision, s._revision), ${version}, 0,
      if(isEnd, t._first, ${version}), if(isEnd, t._synced_at, ${TIME}),
      if(isEnd, ${TIME}, NULL)${values.join('')}
    FROM (SELECT *, arrayJoin(['end', 'add']) AS part FROM ${stage}) AS s
    FULL JOIN (${currentSql(data, all, isIn)}) AS t ON t._id = s._id
    WHERE multiIf(
      isNull(t._id), s.part = 'add',
      isNull(s._id), 1,
      NOT (t._revision = s._revision AND ${areEqual(given.map(({ stored }) => [stored, stored]))})
    ) AND ${condition}`;
}

/** Adds the versions of a former table to a load. Doing it again changes nothing. */
export function carryVersionsSql(
  { data, load, columns, common, isIn }: CarriedTables,
  version: string,
  condition: string,
): string[] {
  const own = common.map(({ from }) => from);
  const values = columns.map((column) => {
    const from = common.find(({ to }) => to === column)?.from;
    return `, if(isEnd, ${from ? `t.${from.stored}` : 'NULL'}, s.${column.stored})`;
  });
  const pairs = common.map(({ from, to }) => [from.stored, to.stored] as const);
  const isKept = `t._revision = s._revision AND ${areEqual(pairs)}`;
  return [
    `INSERT INTO ${load} (${OWN}${storedNames(common.map(({ to }) => to))})
    SELECT _id, _revision, ${version}, 0, _first, _synced_at, _valid_to${storedNames(own)}
    FROM ${data} FINAL WHERE ${isIn} AND isNotNull(_valid_to) AND ${condition}`,
    `INSERT INTO ${load} (${OWN}${storedNames(columns)})
    ${WITH_TIME}, ifNull(s.part, 'end') = 'end' AS isEnd
    SELECT if(isEnd, t._id, s._id), if(isEnd, t._revision, s._revision), ${version}, 0,
      if(isEnd, t._first, s._first),
      if(isEnd OR (isNotNull(t._id) AND ${isKept}), t._synced_at, ${TIME}),
      if(isEnd, ${TIME}, NULL)${values.join('')}
    FROM (
      SELECT *, arrayJoin(['end', 'add']) AS part FROM (${currentSql(load, columns, isIn)})
    ) AS s
    FULL JOIN (${currentSql(data, own, isIn)}) AS t ON t._id = s._id
    WHERE multiIf(isNull(t._id), s.part = 'add', isNull(s._id), 1, s.part = 'add', 1, NOT (${isKept}))
      AND ${condition}`,
  ];
}

function currentSql(table: string, columns: readonly StoredColumn[], condition: string): string {
  return `SELECT _id, _revision, _first, _synced_at${storedNames(columns)} FROM ${table} FINAL
    WHERE isNull(_valid_to) AND ${condition}`;
}

/** Compares columns of `t` with columns of `s`. Missing values are equal. */
const areEqual = (pairs: readonly (readonly [string, string])[]): string =>
  [
    '1',
    ...pairs.map(
      ([one, other]) =>
        `if(isNull(t.${one}) OR isNull(s.${other}), isNull(t.${one}) AND isNull(s.${other}), t.${one} = s.${other})`,
    ),
  ].join(' AND ');
