import type { TargetColumn, TargetType } from '../destination';

/** Quotes a name. */
export const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

const ESCAPED = /['\\\n]/g;

/** Quotes a text, in the SQL mode of a session. LOAD DATA reads the same form. */
export function literal(text: string): string {
  const escaped = text.replace(ESCAPED, (found) =>
    found === '\n' ? String.raw`\n` : `\\${found}`,
  );
  return `'${escaped}'`;
}

/** Types of columns by target type, as the catalog names them. */
export const DATA_TYPES: Readonly<Record<TargetType, string>> = {
  text: 'longtext',
  integer: 'bigint',
  double: 'double',
  decimal: 'decimal',
  boolean: 'tinyint',
  date: 'date',
  timestamp: 'datetime',
  // JSON of MySQL rounds numbers and sorts keys.
  json: 'longtext',
};

/** Returns the type of a column without its collation. */
export function typeNameOf(type: TargetType): string {
  switch (type) {
    case 'decimal':
      // A value has up to 38 digits, of which up to 18 follow the point.
      return 'decimal(56,18)';
    case 'boolean':
      return 'tinyint(1)';
    case 'timestamp':
      return 'datetime(3)';
    case 'text':
    case 'json':
    case 'integer':
    case 'double':
    case 'date':
      return DATA_TYPES[type];
  }
}

/** Types of columns, with a collation that compares texts exactly. It differs between servers. */
export class MysqlTypes {
  constructor(readonly collation: string) {}

  of(type: TargetType): string {
    const name = typeNameOf(type);
    return name === 'longtext' ? `${name} CHARACTER SET utf8mb4 COLLATE ${this.collation}` : name;
  }

  /** Returns definitions of columns, each after a comma. */
  definitions(columns: readonly TargetColumn[]): string {
    return columns.map(({ name, type }) => `, ${quoted(name)} ${this.of(type)} NULL`).join('');
  }

  /** Returns what follows the definitions of the columns of a table. */
  tableOptions(comment: string): string {
    return `ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE ${this.collation} COMMENT=${literal(comment)}`;
  }
}

/** Returns the names of columns, each after a comma. */
export const namesSql = (columns: readonly TargetColumn[], prefix = ''): string =>
  columns.map(({ name }) => `, ${prefix}${quoted(name)}`).join('');

/** Returns SQL that prints a value as the text that a sync would write. `text`: as MySQL prints it. */
export function printedSql(type: TargetType, text: string): string | null {
  switch (type) {
    case 'boolean':
      return `CASE ${text} WHEN '1' THEN 'true' WHEN '0' THEN 'false' END`;
    case 'timestamp':
      return `CONCAT(REPLACE(${text}, ' ', 'T'), 'Z')`;
    case 'decimal':
      return `TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM ${text}))`;
    case 'text':
    case 'integer':
    case 'double':
    case 'date':
    case 'json':
      return null;
  }
}

/**
 * Returns SQL that converts a value of a column to that of a column of another type; `NULL` if that
 * may fail.
 */
export function convertedSql(value: string, from: TargetType, to: TargetType): string {
  if (DATA_TYPES[from] === DATA_TYPES[to] || (from === 'integer' && to === 'double')) return value;
  if (to !== 'text') return 'NULL';
  const text = `CAST(${value} AS CHAR CHARACTER SET utf8mb4)`;
  return printedSql(from, text) ?? text;
}
