import { type DatagridSchema, findColumn } from '../../../datagrids/schema/datagrid-schema';

/** A filter as the API takes and returns it, with the keys of columns. */
export type FilterJson = Readonly<Record<string, unknown>>;

/** A column that a stored filter names. */
export interface NamedColumn {
  readonly id: number;
  /** The key that the column has, or had when it was removed. */
  readonly key: string;
  readonly isRemoved: boolean;
}

const COLUMN_NAME = /^c(\d+)$/;

/**
 * A filter as webhooks and views store it: with the ids of columns, so that it names the same columns
 * when their keys change, and never another column.
 */
export class StoredFilter {
  readonly datagridId: string;
  /** Ids of the columns that the filter names. */
  readonly columnIds: readonly number[];
  private readonly conditions: FilterJson;

  constructor(text: string) {
    const stored = JSON.parse(text) as { datagridId: string; conditions: FilterJson };
    this.datagridId = stored.datagridId;
    this.conditions = stored.conditions;
    const ids = new Set<number>();
    renamed(this.conditions, (name) => {
      ids.add(idOf(name));
      return name;
    });
    this.columnIds = [...ids];
  }

  /** Returns the text to store. @param filter A filter that is valid for the columns. */
  static textOf(schema: DatagridSchema, filter: FilterJson): string {
    const conditions = renamed(filter, (key) => `c${String(findColumn(schema, key)?.id ?? 0)}`);
    return JSON.stringify({ datagridId: schema.datagridId, conditions });
  }

  /**
   * Returns the filter with the present keys of its columns. A removed column is named `key~id`, which
   * is never the key of a column.
   */
  withKeys(columns: readonly NamedColumn[]): FilterJson {
    const keys = new Map(
      columns.map(({ id, key, isRemoved }) => [id, isRemoved ? `${key}~${String(id)}` : key]),
    );
    return renamed(this.conditions, (name) => keys.get(idOf(name)) ?? `~${String(idOf(name))}`);
  }
}

function idOf(name: string): number {
  return Number(COLUMN_NAME.exec(name)?.[1] ?? 0);
}

/** Returns a valid filter with other names of its columns. Attributes such as `_id` keep theirs. */
function renamed(filter: FilterJson, rename: (name: string) => string): FilterJson {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]): [string, unknown] => {
      if (name === '$and' || name === '$or') {
        return [name, (value as readonly FilterJson[]).map((part) => renamed(part, rename))];
      }
      if (name === '$not') return [name, renamed(value as FilterJson, rename)];
      return [name.startsWith('_') ? name : rename(name), value];
    }),
  );
}
