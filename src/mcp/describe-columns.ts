import type { ColumnOptions } from '../datagrids/column-type/descriptor';
import {
  COLUMN_TYPES,
  type ColumnType,
  isComparable,
  isComputed,
  isLink,
  isReadOnly,
} from '../datagrids/column-type/column-type';
import { OPERATORS } from '../rows/query/filter/operators';
import type { JsonSchema } from './tool-schemas';

/** A column, as the API returns it. */
interface Column {
  readonly key: string;
  readonly title: string;
  readonly type: ColumnType;
  readonly required: boolean;
  readonly options: ColumnOptions;
  readonly defaultValue?: unknown;
}

/** More choices are only in `options`, so that the schema does not repeat a long list. */
const MAX_LISTED_CHOICES = 100;

/**
 * Adds what a model needs to query and write rows to a datagrid of the API: the filter operators of each
 * column, and the JSON Schema of the values of a new row, without those that are computed.
 */
export function describeColumns(body: Record<string, unknown>): Record<string, unknown> {
  const datagrid = body['data'] as { readonly columns: readonly Column[] };
  const columns = datagrid.columns.map((column) => ({
    ...column,
    filterOperators: COLUMN_TYPES[column.type].operators.flatMap((group) =>
      OPERATORS[group].map(({ name }) => name),
    ),
    sortable: isComparable(column.type),
  }));
  return {
    data: { ...datagrid, columns, valuesSchema: valuesSchema(datagrid.columns.filter(isWritable)) },
  };
}

/** The service computes or sets the values of other columns. */
const isWritable = ({ type }: Column): boolean => !isComputed(type) && !isReadOnly(type);

function valuesSchema(columns: readonly Column[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(columns.map((column) => [column.key, valueSchema(column)])),
    required: columns
      .filter(({ required, defaultValue }) => required && defaultValue === undefined)
      .map(({ key }) => key),
    additionalProperties: false,
  };
}

function valueSchema({ type, required, options: { choices = [] }, title }: Column): JsonSchema {
  const { jsonType, description } = COLUMN_TYPES[type];
  const valueType = type === 'integer' || type === 'link' ? 'integer' : jsonType;
  const isListed = choices.length > 0 && choices.length <= MAX_LISTED_CHOICES;
  const item = isLink(type)
    ? { type: 'integer' }
    : { type: 'string', ...(isListed && { enum: choices }) };
  return {
    title,
    description,
    ...(valueType !== null && { type: required ? valueType : [valueType, 'null'] }),
    ...(jsonType === 'array' && { items: item, uniqueItems: true }),
    ...(jsonType === 'string' && isListed && { enum: required ? choices : [...choices, null] }),
  };
}
