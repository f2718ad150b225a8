/** Values of a row by column key. */
export type Values = Record<string, unknown>;

/** A row of a datagrid whose values have the type `V`. */
export interface Row<V extends object = Values> {
  readonly id: number;
  readonly values: V;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A row without its values. */
export type RowHead = Omit<Row, 'values'>;

/**
 * Values of an update: those that are absent stay, and `null` clears a value. `V` has the type `never` for
 * columns that cannot be written.
 */
export type ValueChanges<V extends object> = {
  readonly [Key in keyof V]?: [V[Key]] extends [undefined] ? V[Key] : V[Key] | null;
};

/** Selects rows, their order and their columns. */
export interface RowQuery {
  readonly filter?: object | undefined;
  /** Columns, separated by commas; `-` before a column means descending. */
  readonly sort?: string | undefined;
  /** Columns to return, separated by commas. */
  readonly fields?: string | undefined;
  readonly q?: string | undefined;
  /** ID of a saved view. */
  readonly view?: string | undefined;
}

/** Rows that the rows of a page link to, by the path in `expand` and by ID. */
export type LinkedRows = Readonly<Record<string, Readonly<Record<string, Row>>>>;

/** Adds linked rows to a page. */
export interface Expand {
  /** Link columns, separated by commas, such as `customer,lines.product`: see `meta.linked`. */
  readonly expand?: string | undefined;
}

/** One page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: {
    readonly total: number;
    readonly page: number;
    readonly pageSize: number;
    readonly totalPages: number;
    /** `cursor` of the next page; `null` on the last one. Only in pages of rows without `sort`. */
    readonly nextCursor?: string | null;
    /** Only with `expand`. */
    readonly linked?: LinkedRows;
    /** Keys of computed columns whose values the API key has no access to. Absent if there are none. */
    readonly withheld?: readonly string[];
  };
}

/** One page of a list that is read with a cursor. */
export interface CursorPage<Item> {
  readonly data: readonly Item[];
  readonly meta: {
    readonly pageSize: number;
    readonly nextCursor: string | null;
    /** As in `Page`. */
    readonly withheld?: readonly string[];
  };
}

interface ById {
  readonly id: number;
  /** The operation fails if the row has another revision. */
  readonly ifRevision?: number | undefined;
}

/**
 * An operation of a batch. `Input` is the type of the values of new rows and of changes, and `Replacement`
 * that of all values of a row.
 */
export type Operation<Input extends object = Values, Replacement extends object = Input> =
  | { readonly op: 'create'; readonly values: Input }
  | ({ readonly op: 'update'; readonly values: ValueChanges<Input> } & ById)
  | ({ readonly op: 'replace'; readonly values: Replacement } & ById)
  | ({ readonly op: 'delete' } & ById)
  | {
      readonly op: 'upsert';
      readonly matchOn: readonly (keyof Input & string)[];
      readonly values: ValueChanges<Input>;
      readonly ifRevision?: number | undefined;
    };

/** Result of an operation of a batch, or of a row of an upsert. */
export interface OperationResult<V extends object = Values> {
  readonly status: 'created' | 'updated' | 'unchanged' | 'deleted' | 'error';
  readonly id?: number;
  readonly row?: Row<V>;
  /** Only with `minimal`, in place of `row`. */
  readonly revision?: number;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly {
      readonly field: string;
      readonly code: string;
      readonly message: string;
    }[];
  };
}

export interface BatchResult<V extends object = Values> {
  readonly results: readonly OperationResult<V>[];
  /** Revision of the datagrid after the batch. */
  readonly revision: number;
}

/** Groups of rows to return, and the values to compute for each. */
export interface AggregateQuery extends Pick<RowQuery, 'filter' | 'q' | 'view'> {
  /** Up to three columns. Without them, all rows are one group. */
  readonly groupBy?:
    | readonly {
        readonly column: string;
        /** Period, for columns of the types `date` and `datetime`. */
        readonly bucket?: 'day' | 'week' | 'month' | 'quarter' | 'year' | undefined;
      }[]
    | undefined;
  /** Up to 20; the number of rows by default. */
  readonly aggregates?:
    | readonly {
        readonly function: 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max';
        readonly column?: string | undefined;
        /** Name in `values`, such as `total`; by default `sum_price`, for example. */
        readonly as?: string | undefined;
      }[]
    | undefined;
  /** Names of aggregates and group columns, separated by commas; `-` before a name means descending. */
  readonly sort?: string | undefined;
  /** Groups to return, up to 1,000; 100 by default. */
  readonly limit?: number | undefined;
}

/** Groups of rows. Sums and averages are decimal numbers, such as `"1204.50"`. */
export interface Aggregates {
  readonly data: readonly { readonly group: Values; readonly values: Values }[];
  readonly meta: {
    /** Number of all groups. */
    readonly total: number;
  };
}
