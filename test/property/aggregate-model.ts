import { compareValues, type ModelColumn, type ModelRow } from './query-model';

export interface ModelGroupKey {
  readonly column: string;
  readonly bucket?: 'day' | 'week' | 'month' | 'quarter' | 'year';
}

export interface ModelAggregate {
  readonly function: 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max';
  readonly column?: string;
}

/** A count, a sum, or the value of a group. */
type Result = string | number | boolean | null;

export interface ModelGroup {
  readonly group: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A decimal number without rounding: `digits` × 10^-`scale`. */
interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

/** Reads a decimal number, or a number as JSON prints it. */
function exactOf(text: string): Exact {
  const [mantissa = '0', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

function atScale({ digits, scale }: Exact, to: number): bigint {
  return digits * 10n ** BigInt(to - scale);
}

function compareExact(a: Exact, b: Exact): number {
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = [atScale(a, scale), atScale(b, scale)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function sumOf(values: readonly unknown[]): Exact {
  const all = values.map((value) => exactOf(String(value)));
  const scale = Math.max(0, ...all.map((one) => one.scale));
  return { digits: all.reduce((sum, one) => sum + atScale(one, scale), 0n), scale };
}

/** Prints a number without trailing zeros, so that equal numbers have equal texts. */
function printed({ digits, scale }: Exact): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const at = text.length - scale;
  const fraction = text.slice(at).replace(/0+$/, '');
  const sign = digits < 0n ? '-' : '';
  return `${sign}${text.slice(0, at)}${fraction === '' ? '' : `.${fraction}`}`;
}

const canonical = (text: string): string => printed(exactOf(text));

/** Returns an average with 40 digits after the point, of which the last may be wrong. */
function averageOf(values: readonly unknown[]): Exact {
  const sum = sumOf(values);
  const scale = Math.max(sum.scale, 400) + 40;
  return { digits: atScale(sum, scale) / BigInt(values.length), scale };
}

/** Returns whether an average has at least 15 correct digits. */
export function isAverage(text: string, values: readonly unknown[]): boolean {
  const [found, expected] = [exactOf(text), averageOf(values)];
  const scale = Math.max(found.scale, expected.scale);
  const [x, y] = [atScale(found, scale), atScale(expected, scale)];
  const [difference, size] = [x < y ? y - x : x - y, y < 0n ? -y : y];
  return difference * 10n ** 15n <= size + 10n ** 40n;
}

function periodOf(value: string, bucket: NonNullable<ModelGroupKey['bucket']>): string {
  const day = new Date(`${value.slice(0, 10)}T00:00:00.000Z`);
  const month = day.getUTCMonth();
  if (bucket === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  else if (bucket !== 'day') {
    day.setUTCDate(1);
    if (bucket === 'quarter') day.setUTCMonth(month - (month % 3));
    if (bucket === 'year') day.setUTCMonth(0);
  }
  return day.toISOString().slice(0, 10);
}

/** Returns a value in a form in which equal values are equal. */
function keyOf({ type }: ModelColumn, value: unknown): unknown {
  return type === 'decimal' && typeof value === 'string' ? canonical(value) : (value ?? null);
}

export class AggregateModel {
  constructor(
    private readonly columns: readonly ModelColumn[],
    private readonly groupBy: readonly ModelGroupKey[],
    private readonly aggregates: readonly ModelAggregate[],
  ) {}

  static nameOf({ function: applied, column }: ModelAggregate): string {
    return column === undefined ? applied : `${applied}_${column}`;
  }

  /** Returns the groups in the order of their keys. An average is the list of its values. */
  groups(rows: readonly ModelRow[]): ModelGroup[] {
    const byKey = new Map<string, { group: ModelGroup['group']; rows: ModelRow[] }>();
    if (this.groupBy.length === 0) byKey.set('[]', { group: {}, rows: [] });
    for (const row of rows) {
      const values = this.groupBy.map((key) => this.groupValue(key, row));
      const group = Object.fromEntries(
        this.groupBy.map(({ column }, index) => [column, values[index]]),
      );
      const key = JSON.stringify(values);
      const known = byKey.get(key) ?? { group, rows: [] };
      byKey.set(key, known);
      known.rows.push(row);
    }
    return [...byKey.values()]
      .map((one) => ({ group: one.group, values: this.valuesOf(one.rows) }))
      .sort((a, b) => this.compare(a, b, []));
  }

  /** Compares groups by the names of aggregates and columns, then by their keys. */
  compare(a: ModelGroup, b: ModelGroup, sort: readonly string[]): number {
    const names = this.aggregates.map((one) => AggregateModel.nameOf(one));
    const keys = [
      ...sort.map((name) => ({ name, isResult: names.includes(name.replace('-', '')) })),
      ...this.groupBy.map(({ column }) => ({ name: column, isResult: false })),
    ];
    for (const { name, isResult } of keys) {
      const key = name.replace('-', '');
      const [x, y] = [a, b].map(
        (one) => (isResult ? one.values : one.group)[key] ?? null,
      ) as Result[];
      const [hasX, hasY] = [x, y].map((one) => one !== null && one !== undefined);
      if (!hasX && !hasY) continue;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      const order = isResult
        ? compareExact(exactOf(x.toString()), exactOf(y.toString()))
        : compareValues(this.column(key).type, x, y);
      if (order !== 0) return name.startsWith('-') ? -order : order;
    }
    return 0;
  }

  /** Returns a group of a response in the form of the model. Averages stay as they are. */
  normal({ group, values }: ModelGroup): ModelGroup {
    const names = new Map(this.aggregates.map((one) => [AggregateModel.nameOf(one), one]));
    return {
      group: Object.fromEntries(
        Object.entries(group).map(([key, value]) => [key, keyOf(this.column(key), value)]),
      ),
      values: Object.fromEntries(
        Object.entries(values).map(([name, value]) => {
          const aggregate = names.get(name);
          const isSum = aggregate?.function === 'sum' && typeof value === 'string';
          if (isSum) return [name, canonical(value)];
          const isValue = aggregate?.function === 'min' || aggregate?.function === 'max';
          return [name, isValue ? keyOf(this.column(aggregate.column), value) : value];
        }),
      ),
    };
  }

  private column(key = ''): ModelColumn {
    return this.columns.find((one) => one.key === key) ?? { key, type: 'text' };
  }

  private groupValue({ column, bucket }: ModelGroupKey, row: ModelRow): unknown {
    const value = row.values[column];
    if (bucket !== undefined && typeof value === 'string') return periodOf(value, bucket);
    return keyOf(this.column(column), value);
  }

  private valuesOf(rows: readonly ModelRow[]): Record<string, unknown> {
    return Object.fromEntries(
      this.aggregates.map((aggregate) => [
        AggregateModel.nameOf(aggregate),
        this.valueOf(aggregate, rows),
      ]),
    );
  }

  private valueOf(
    { function: applied, column }: ModelAggregate,
    rows: readonly ModelRow[],
  ): unknown {
    if (column === undefined) return rows.length;
    const known = this.column(column);
    const values = rows.map((row) => row.values[column]).filter((value) => value !== undefined);
    const sorted = [...values].sort((a, b) => compareValues(known.type, a, b));
    switch (applied) {
      case 'count':
        return values.length;
      case 'countDistinct':
        return new Set(values.map((value) => keyOf(known, value))).size;
      case 'sum':
        return values.length === 0 ? null : printed(sumOf(values));
      case 'avg':
        return values.length === 0 ? null : values;
      case 'min':
        return keyOf(known, sorted[0]);
      case 'max':
        return keyOf(known, sorted.at(-1));
    }
  }
}
