import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import { describeColumns } from './describe-columns';
import { operationsOf } from './operations';
import {
  arrayOf,
  AGGREGATE,
  CALLER,
  CHANGE,
  CHOSEN_ROWS,
  CURSOR,
  type JsonSchema,
  DATAGRID_ID,
  EXPAND,
  FIELDS,
  FILTER,
  GROUP,
  GROUP_BY,
  IDEMPOTENCY_KEY,
  INCLUDE,
  LIMIT,
  MATCH_ON,
  META,
  NAMED,
  objectOf,
  PAGE,
  RESULTS,
  ROW,
  SEARCH,
  ROW_ID,
  SORT,
  SQL,
  SQL_GUIDE,
  SQL_LIMIT,
  SQL_PARAMETERS,
  SQL_ROW,
  SQL_TABLE,
  UPDATED_ROWS,
  VALUES_ROWS,
  DRY_RUN,
  WORKSPACE_ID,
} from './tool-schemas';

/** A tool, and the route to which its calls are sent. */
export interface Tool {
  readonly definition: ToolDefinition;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Pattern of the route below the base of the API. Its parameters are arguments of the tool. */
  readonly path: string;
  readonly isWrite: boolean;
  /** What to do if the result is too large. Writes have no such results. */
  readonly smaller?: string;
  /** Returns the body of the request. Without it, the arguments are the body. */
  readonly bodyOf?: (args: Readonly<Record<string, unknown>>) => object;
  /** Member of that body whose errors are errors of `argument`. */
  readonly bodyField?: string;
  readonly argument?: string;
  /** Returns the result for a body of the API. Without it, the body is the result. */
  readonly present?: (body: Record<string, unknown>) => Record<string, unknown>;
}

interface Definition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** Schemas of `data` and `meta`. */
  readonly data: JsonSchema;
  readonly meta?: boolean;
}

type Route = Omit<Tool, 'definition' | 'isWrite'>;

/** Whether a write can change or delete what exists, and whether repeating it changes nothing more. */
interface Effects {
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
}

const USE_LESS = 'Use a smaller limit, or name the columns that you need in fields.';

function define(
  { name, title, description, input, required = [], data, meta = false }: Definition,
  effects?: Effects,
): ToolDefinition {
  return {
    name,
    title,
    description,
    inputSchema: objectOf(input, required) as ToolDefinition['inputSchema'],
    outputSchema: objectOf({ data, ...(meta && { meta: META }) }, [
      'data',
      ...(meta ? ['meta'] : []),
    ]),
    annotations: { title, readOnlyHint: effects === undefined, ...effects, openWorldHint: false },
  };
}

const readTool = (definition: Definition, route: Route): Tool => ({
  definition: define(definition),
  smaller: USE_LESS,
  ...route,
  isWrite: false,
});

const writeTool = (definition: Definition, effects: Effects, route: Route): Tool => ({
  definition: define(
    { ...definition, input: { ...definition.input, idempotencyKey: IDEMPOTENCY_KEY } },
    effects,
  ),
  ...route,
  isWrite: true,
});

/** All tools, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  readTool(
    {
      name: 'whoami',
      title: 'Who am I',
      description:
        'Returns the API key of this connection, its owner, account, role, scopes and rate limits.',
      input: {},
      data: CALLER,
    },
    { method: 'GET', path: '/me' },
  ),
  readTool(
    {
      name: 'list_workspaces',
      title: 'List workspaces',
      description: 'Returns the workspaces that this key has access to, one page at a time.',
      input: { page: PAGE, limit: LIMIT },
      data: arrayOf(NAMED),
      meta: true,
    },
    { method: 'GET', path: '/workspaces' },
  ),
  readTool(
    {
      name: 'list_datagrids',
      title: 'List datagrids',
      description:
        'Returns the datagrids (tables) of a workspace with their columns and numbers of rows, one page at a time.',
      input: { workspaceId: WORKSPACE_ID, page: PAGE, limit: LIMIT },
      required: ['workspaceId'],
      data: arrayOf(NAMED),
      meta: true,
    },
    {
      method: 'GET',
      path: '/workspaces/:workspaceId/datagrids',
      smaller: 'Use a smaller limit.',
    },
  ),
  readTool(
    {
      name: 'describe_datagrid',
      title: 'Describe a datagrid',
      description:
        'Returns a datagrid with its columns. Each column has its filter operators and whether you can sort by it, and valuesSchema is the JSON Schema of the values of a new row. Call this before you query or write rows.',
      input: { datagridId: DATAGRID_ID },
      required: ['datagridId'],
      data: NAMED,
    },
    {
      method: 'GET',
      path: '/datagrids/:datagridId',
      smaller: 'The choices and titles of its columns are too long for this tool.',
      present: describeColumns,
    },
  ),
  readTool(
    {
      name: 'query_rows',
      title: 'Query rows',
      description:
        'Returns rows that match a filter and a search, sorted, one page at a time. meta.total is the exact number of all matching rows, unless you use a cursor. To count or sum only, use aggregate_rows.',
      input: {
        datagridId: DATAGRID_ID,
        filter: FILTER,
        q: SEARCH,
        sort: SORT,
        fields: FIELDS,
        expand: EXPAND,
        page: PAGE,
        limit: LIMIT,
        cursor: {
          type: 'string',
          description:
            'In place of page, to read all rows: first "start", then meta.nextCursor of the last result until it is null.',
        },
        view: { type: 'string', description: 'ID of a saved view.' },
      },
      required: ['datagridId'],
      data: arrayOf(ROW),
      meta: true,
    },
    { method: 'POST', path: '/datagrids/:datagridId/rows/query' },
  ),
  readTool(
    {
      name: 'get_row',
      title: 'Get a row',
      description: 'Returns one row by its ID.',
      input: { datagridId: DATAGRID_ID, rowId: ROW_ID },
      required: ['datagridId', 'rowId'],
      data: ROW,
    },
    {
      method: 'GET',
      path: '/datagrids/:datagridId/rows/:rowId',
      smaller:
        'Call query_rows with the filter {"_id": …} and the columns that you need in fields.',
    },
  ),
  readTool(
    {
      name: 'aggregate_rows',
      title: 'Aggregate rows',
      description:
        'Groups the rows that match, and returns counts, sums, averages, minimums and maximums of each group. Without groupBy, all rows are one group. Sums and averages are exact decimals, as strings.',
      input: {
        datagridId: DATAGRID_ID,
        groupBy: GROUP_BY,
        aggregates: AGGREGATE,
        filter: FILTER,
        q: SEARCH,
        sort: {
          type: 'string',
          description:
            'Names of aggregates and keys of group columns, separated by commas, with a minus for descending, such as -count.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          default: 100,
          description: 'Maximum number of groups.',
        },
        view: { type: 'string', description: 'ID of a saved view.' },
      },
      required: ['datagridId'],
      data: arrayOf(GROUP),
      meta: true,
    },
    {
      method: 'POST',
      path: '/datagrids/:datagridId/rows/aggregate',
      smaller: 'Use a smaller limit.',
    },
  ),
  readTool(
    {
      name: 'list_changes',
      title: 'List changes',
      description:
        'Returns the changes of a datagrid since a cursor. Without a cursor, it begins with all rows. With the cursor "latest", it begins with the next change.',
      input: {
        datagridId: DATAGRID_ID,
        cursor: CURSOR,
        limit: { ...LIMIT, default: 100 },
        include: INCLUDE,
      },
      required: ['datagridId'],
      data: arrayOf(CHANGE),
      meta: true,
    },
    {
      method: 'GET',
      path: '/datagrids/:datagridId/changes',
      smaller: 'Use a smaller limit.',
    },
  ),
  readTool(
    {
      name: 'list_sql_tables',
      title: 'List SQL tables',
      description:
        'Returns the tables that run_sql can read in a workspace, with the datagrid of each, one page at a time. describe_datagrid returns the columns.',
      input: { workspaceId: WORKSPACE_ID, page: PAGE, limit: LIMIT },
      required: ['workspaceId'],
      data: arrayOf(SQL_TABLE),
      meta: true,
    },
    { method: 'GET', path: '/workspaces/:workspaceId/sql/tables', smaller: 'Use a smaller limit.' },
  ),
  readTool(
    {
      name: 'run_sql',
      title: 'Run SQL',
      description: SQL_GUIDE,
      input: {
        workspaceId: WORKSPACE_ID,
        sql: SQL,
        parameters: SQL_PARAMETERS,
        limit: SQL_LIMIT,
      },
      required: ['workspaceId', 'sql'],
      data: arrayOf(SQL_ROW),
      meta: true,
    },
    {
      method: 'POST',
      path: '/workspaces/:workspaceId/sql',
      smaller: 'Use a smaller limit, select fewer columns, or group the rows.',
      bodyOf: (args) => ({ limit: SQL_LIMIT['default'], ...args }),
    },
  ),
  writeTool(
    {
      name: 'create_rows',
      title: 'Create rows',
      description:
        'Creates up to 1,000 rows, all or none. Returns their IDs in the order of the rows.',
      input: { datagridId: DATAGRID_ID, rows: VALUES_ROWS },
      required: ['datagridId', 'rows'],
      data: arrayOf(ROW),
      meta: true,
    },
    { destructiveHint: false, idempotentHint: false },
    { method: 'POST', path: '/datagrids/:datagridId/rows' },
  ),
  writeTool(
    {
      name: 'update_rows',
      title: 'Update rows',
      description:
        'Changes values of up to 1,000 rows, all or none. Values that you do not send stay, and null clears a value.',
      input: { datagridId: DATAGRID_ID, rows: UPDATED_ROWS, dryRun: DRY_RUN },
      required: ['datagridId', 'rows'],
      data: RESULTS,
    },
    { destructiveHint: true, idempotentHint: true },
    {
      method: 'POST',
      path: '/datagrids/:datagridId/rows/batch',
      bodyOf: operationsOf('update'),
      bodyField: 'operations',
      argument: 'rows',
    },
  ),
  writeTool(
    {
      name: 'upsert_rows',
      title: 'Upsert rows',
      description:
        'Updates the rows whose values are equal in the unique columns of matchOn, and creates the others: up to 1,000 rows, all or none.',
      input: { datagridId: DATAGRID_ID, matchOn: MATCH_ON, rows: VALUES_ROWS },
      required: ['datagridId', 'matchOn', 'rows'],
      data: RESULTS,
    },
    { destructiveHint: true, idempotentHint: true },
    { method: 'PUT', path: '/datagrids/:datagridId/rows' },
  ),
  writeTool(
    {
      name: 'delete_rows',
      title: 'Delete rows',
      description:
        'Deletes up to 1,000 rows by their IDs, all or none. They go to the trash of the datagrid, from which people can restore them for some days.',
      input: { datagridId: DATAGRID_ID, rows: CHOSEN_ROWS, dryRun: DRY_RUN },
      required: ['datagridId', 'rows'],
      data: RESULTS,
    },
    { destructiveHint: true, idempotentHint: true },
    {
      method: 'POST',
      path: '/datagrids/:datagridId/rows/batch',
      bodyOf: operationsOf('delete'),
      bodyField: 'operations',
      argument: 'rows',
    },
  ),
];
