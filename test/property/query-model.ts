import type { ColumnType } from '../../src/datagrids/column-type/column-type';

/** A row of a plain list, which is the model for queries. */
export interface ModelRow {
  readonly id: number;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface ModelColumn {
  readonly key: string;
  readonly type: ColumnType;
}

const ATTRIBUTE_TYPES: Readonly<Record<string, ColumnType>> = {
  _id: 'integer',
  _revision: 'integer',
  _createdAt: 'datetime',
  _updatedAt: 'datetime',
};

function typeOf(columns: readonly ModelColumn[], name: string): ColumnType {
  return ATTRIBUTE_TYPES[name] ?? columns.find(({ key }) => key === name)?.type ?? 'text';
}

function valueOf(row: ModelRow, name: string): unknown {
  return name.startsWith('_') ? row[name.slice(1) as 'id'] : row.values[name];
}

const SCALE = 18;

/** Returns a decimal as a multiple of 10^-18, to compare decimals exactly. */
function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return text.startsWith('-') ? -size : size;
}

/** Compares two values of a column type: negative if `a` is less, positive if it is greater. */
export function compareValues(type: ColumnType, a: unknown, b: unknown): number {
  if (type === 'decimal') {
    const [x, y] = [scaled(String(a)), scaled(String(b))];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (type === 'integer' || type === 'number') return Number(a) - Number(b);
  // The order of UTF-8 bytes is the order of code points.
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

const fold = (value: unknown): string => (value as string).toLowerCase();

function meetsOperator(
  type: ColumnType,
  value: unknown,
  operator: string,
  operand: unknown,
): boolean {
  const isMissing = value === undefined || value === null;
  const equals = (other: unknown): boolean => !isMissing && compareValues(type, value, other) === 0;
  const order = (): number => (isMissing ? Number.NaN : compareValues(type, value, operand));
  switch (operator) {
    case '$isNull':
      return isMissing === operand;
    case '$eq':
      return equals(operand);
    case '$ne':
      return !equals(operand);
    case '$in':
      return (operand as unknown[]).some(equals);
    case '$nin':
      return !(operand as unknown[]).some(equals);
    case '$gt':
      return order() > 0;
    case '$gte':
      return order() >= 0;
    case '$lt':
      return order() < 0;
    case '$lte':
      return order() <= 0;
    case '$contains':
      if (isMissing) return false;
      if (type === 'multiSelect') return (value as unknown[]).includes(operand);
      return fold(value).includes(fold(operand));
    case '$startsWith':
      return !isMissing && (value as string).startsWith(operand as string);
    case '$endsWith':
      return !isMissing && (value as string).endsWith(operand as string);
    case '$containsAny':
      return !isMissing && (operand as unknown[]).some((one) => (value as unknown[]).includes(one));
    default:
      throw new Error(`The model has no operator ${operator}.`);
  }
}

export function meets(columns: readonly ModelColumn[], row: ModelRow, filter: object): boolean {
  return Object.entries(filter).every(([name, condition]) => {
    if (name === '$and') return (condition as object[]).every((part) => meets(columns, row, part));
    if (name === '$or') return (condition as object[]).some((part) => meets(columns, row, part));
    if (name === '$not') return !meets(columns, row, condition as object);
    const type = typeOf(columns, name);
    const isOperators = typeof condition === 'object' && condition !== null;
    const operators = isOperators ? (condition as object) : { $eq: condition as unknown };
    return Object.entries(operators).every(([operator, operand]) =>
      meetsOperator(type, valueOf(row, name), operator, operand),
    );
  });
}

/** Returns the rows in order: those without a value last, equal ones by id. */
export function sorted(
  columns: readonly ModelColumn[],
  rows: readonly ModelRow[],
  sort: readonly string[],
): ModelRow[] {
  return [...rows].sort((a, b) => {
    for (const name of sort) {
      const key = name.replace('-', '');
      const type = typeOf(columns, key);
      const [x, y] = [valueOf(a, key) ?? null, valueOf(b, key) ?? null];
      if (x === null && y === null) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      const order = compareValues(type, x, y);
      if (order !== 0) return name.startsWith('-') ? -order : order;
    }
    return a.id - b.id;
  });
}
