/**
 * A JSON Schema. Those in the list of tools use only what the APIs of all large models accept; one
 * unknown keyword makes Gemini reject the whole list.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** Returns the schema of an object with these properties. */
export const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

/**
 * Returns the schema of an object whose keys are those of columns. Gemini rejects an object without
 * properties, so the key of an example stands for them.
 */
const byColumnKey = (description: string): JsonSchema => ({
  type: 'object',
  description,
  properties: {
    key_of_a_column: {
      type: 'string',
      description: 'An example: send the keys of the columns in place of this name.',
    },
  },
});

/** Returns the schema of one of these texts. */
const oneOf = (values: readonly string[], description?: string): JsonSchema => ({
  type: 'string',
  enum: values,
  ...(description !== undefined && { description }),
});

const idSchema = (description: string): JsonSchema => ({ type: 'string', description });

export const WORKSPACE_ID = idSchema('ID (UUID) of the workspace, from list_workspaces.');
export const DATAGRID_ID = idSchema('ID (UUID) of the datagrid, from list_datagrids.');
export const ROW_ID: JsonSchema = { type: 'integer', minimum: 1, description: 'ID of the row.' };

export const PAGE: JsonSchema = {
  type: 'integer',
  minimum: 1,
  default: 1,
  description: 'Number of the page.',
};
export const LIMIT: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: 200,
  default: 20,
  description: 'Number of items on a page.',
};
export const CURSOR: JsonSchema = {
  type: 'string',
  description: 'meta.nextCursor of the last result.',
};

export const FILTER: JsonSchema = byColumnKey(
  'Conditions by column key, such as {"country": "CH", "elevation": {"$gte": 400, "$lt": 450}}. describe_datagrid lists the operators of each column. Combine conditions with $and, $or (arrays) and $not. For columns of type link and multiLink, {"customer": {"$row": {"country": "CH"}}} filters by the linked row. Columns of type lookup and count are computed and cannot be filtered or sorted by. _id, _revision, _createdAt and _updatedAt are attributes of the row.',
);
export const SEARCH: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  description: 'Text to search for in all text, email and url columns, ignoring case.',
};
export const SORT: JsonSchema = {
  type: 'string',
  description:
    'Keys of up to four columns, separated by commas, with a minus for descending, such as -elevation,name.',
};
export const FIELDS: JsonSchema = {
  type: 'string',
  description: 'Keys of the columns to return, separated by commas. The default is all columns.',
};

export const EXPAND: JsonSchema = {
  type: 'string',
  description:
    'Link columns whose rows to return in meta.linked, separated by commas, such as "customer,lines.product". If fields is given, it must contain these columns.',
};

export const GROUP_BY: JsonSchema = {
  ...arrayOf({
    type: 'object',
    properties: {
      column: { type: 'string' },
      bucket: oneOf(['day', 'week', 'month', 'quarter', 'year'], 'For date and datetime columns.'),
    },
    required: ['column'],
  }),
  maxItems: 3,
};
export const AGGREGATE: JsonSchema = {
  ...arrayOf({
    type: 'object',
    properties: {
      function: oneOf(['count', 'countDistinct', 'sum', 'avg', 'min', 'max']),
      column: { type: 'string', description: 'Required, except for count.' },
      as: { type: 'string', description: 'Name of the result.' },
    },
    required: ['function'],
  }),
  minItems: 1,
  maxItems: 20,
  description: 'The default is the number of rows.',
};

/** Description of the tool that runs statements. It has at most 1,024 characters. */
export const SQL_GUIDE = `Runs one SELECT in DuckDB's dialect over the datagrids of a workspace, from one snapshot. Use it for joins, window functions and calculations. It cannot write.
Each datagrid is a table: its name in lower case with _ in place of other characters ("Order Items" is order_items); list_sql_tables has the names. Columns have the keys of the datagrid, and each table has _id, _revision, _createdAt and _updatedAt.
Types: text, select, email and url VARCHAR; integer and link BIGINT; number DOUBLE; decimal DECIMAL where it fits; boolean BOOLEAN; date DATE; datetime TIMESTAMP in UTC; multiSelect VARCHAR[]; multiLink BIGINT[]; json JSON. Tables have no columns of type lookup and count: join instead.
A link has the _id of a row: JOIN customers c ON o.customer = c._id, or list_contains(o.products, p._id) for a multiLink.
Decimals are returned as strings, and integers that JavaScript cannot hold, too. meta has the columns with their types, and truncated if there are more rows than limit.`;
export const SQL: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 20_000,
  description:
    'One SELECT (also WITH … SELECT), such as: SELECT c.name, sum(o.price) AS total FROM orders o JOIN customers c ON o.customer = c._id GROUP BY ALL ORDER BY total DESC.',
};
export const SQL_PARAMETERS: JsonSchema = {
  ...arrayOf({ type: 'string' }),
  maxItems: 100,
  description:
    'Values of ? or $1, $2 in the statement, in order, as texts. Cast those of other types, such as CAST(? AS DATE).',
};
export const SQL_LIMIT: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: 10_000,
  default: 100,
  description: 'Maximum number of rows.',
};

export const INCLUDE = oneOf(['author'], 'author adds who made each change, and when.');

const VALUES: JsonSchema = byColumnKey(
  'Values by column key, as in valuesSchema of describe_datagrid. A value of another type is rejected, not converted.',
);
const IF_REVISION: JsonSchema = {
  type: 'integer',
  minimum: 1,
  description:
    'revision of the row that you read. If the row has changed since, nothing is changed.',
};
const rowsSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: string[],
): JsonSchema => ({
  ...arrayOf(objectOf(properties, required)),
  minItems: 1,
  maxItems: 1000,
});

export const VALUES_ROWS = rowsSchema({ values: VALUES }, ['values']);
export const UPDATED_ROWS = rowsSchema({ id: ROW_ID, values: VALUES, ifRevision: IF_REVISION }, [
  'id',
  'values',
]);
export const CHOSEN_ROWS = rowsSchema({ id: ROW_ID, ifRevision: IF_REVISION }, ['id']);
export const MATCH_ON: JsonSchema = {
  ...arrayOf({ type: 'string' }),
  minItems: 1,
  maxItems: 4,
  description: 'Keys of unique columns. Every row needs a value in each of them.',
};
export const DRY_RUN: JsonSchema = {
  type: 'boolean',
  default: false,
  description: 'Returns the results without changing anything.',
};
export const IDEMPOTENCY_KEY: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'A new UUID for each change. A repeated call with the same key and arguments returns the first result and changes nothing.',
};

/** Schemas of results. They name the most important members; results have more. */
const ID: JsonSchema = { type: 'string', description: 'UUID' };
export const CALLER = objectOf({ role: { type: 'string' } }, []);
export const NAMED = objectOf({ id: ID, name: { type: 'string' } }, []);
export const ROW = objectOf({ id: { type: 'integer' }, revision: { type: 'integer' } }, []);
export const GROUP = objectOf({ values: byColumnKey('Results by the names of aggregates.') }, []);
export const SQL_TABLE = objectOf({ name: { type: 'string' }, datagridId: ID }, []);
export const SQL_ROW = byColumnKey('Values by the names of the columns of the result.');
export const CHANGE = objectOf({ op: { type: 'string' } }, []);
export const RESULTS = objectOf(
  { results: arrayOf(objectOf({ status: { type: 'string' } }, [])) },
  [],
);
export const META = objectOf({ total: { type: 'integer' } }, []);
