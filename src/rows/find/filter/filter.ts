import type { JsonValue } from '../../../common/json/json-value';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';

/** Compares a column's value with one operand. */
export type Comparison =
  '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte' | '$contains' | '$startsWith';

/** Compares a column's value with many operands. */
export type Membership = '$in' | '$nin';

export type Operator = Comparison | Membership | '$isNull';

export interface ComparisonFilter {
  readonly kind: 'comparison';
  readonly column: SchemaColumn;
  readonly operator: Comparison;
  /** In the normal form of the column's type, where the operator compares whole values. */
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
  /** Whether rows without a value are meant, or those with one. */
  readonly isNull: boolean;
}

/** A condition on one column. No value meets only `$isNull`, `$ne` and `$nin`. */
export type ColumnFilter = ComparisonFilter | MembershipFilter | NullFilter;

/** What rows must meet. An `and` of nothing is met by every row, an `or` of nothing by none. */
export type Filter =
  | ColumnFilter
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter };

/** The filter that every row meets. */
export const EVERY_ROW: Filter = { kind: 'and', parts: [] };
