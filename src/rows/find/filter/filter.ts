import type { JsonValue } from '../../../common/json/json-value';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';

/** An operator that compares a column's value with one operand. */
export type Comparison =
  '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte' | '$contains' | '$startsWith';

/** An operator that compares a column's value with a list of operands. */
export type Membership = '$in' | '$nin';

export type Operator = Comparison | Membership | '$isNull';

export interface ComparisonFilter {
  readonly kind: 'comparison';
  readonly column: SchemaColumn;
  readonly operator: Comparison;
  /** Operand, in the normal form of the column's type if the operator compares whole values. */
  readonly operand: JsonValue;
}

export interface MembershipFilter {
  readonly kind: 'membership';
  readonly column: SchemaColumn;
  readonly operator: Membership;
  readonly operands: readonly JsonValue[];
}

export interface NullFilter {
  readonly kind: 'null';
  readonly column: SchemaColumn;
  /** Whether rows without a value match. If false, rows with a value match. */
  readonly isNull: boolean;
}

/** A condition on one column. A row without a value matches only `$isNull`, `$ne` and `$nin`. */
export type ColumnFilter = ComparisonFilter | MembershipFilter | NullFilter;

/** A condition on rows. An empty `and` matches every row; an empty `or` matches none. */
export type Filter =
  | ColumnFilter
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter };

/** The filter that matches every row. */
export const EVERY_ROW: Filter = { kind: 'and', parts: [] };
