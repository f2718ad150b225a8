import type { Client } from 'pg';

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly Plans?: readonly PlanNode[];
  readonly [condition: string]: string | readonly PlanNode[] | undefined;
}

/**
 * Returns PostgreSQL's generic plan of a statement. Prepares the statement, because
 * `EXPLAIN (GENERIC_PLAN)` needs PostgreSQL 16.
 */
export async function planOf(client: Client, text: string): Promise<PlanNode> {
  await client.query("SET plan_cache_mode = 'force_generic_plan'");
  await client.query(`PREPARE explained AS ${text}`);
  try {
    const { rows: statements } = await client.query<{ parameters: number }>(
      "SELECT cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE name = 'explained'",
    );
    const nulls = Array.from({ length: statements[0]?.parameters ?? 0 }, () => 'NULL').join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE explained${nulls && `(${nulls})`}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (!plan) throw new Error(`No plan for ${text}`);
    return plan;
  } finally {
    await client.query('DEALLOCATE explained');
  }
}

const CONDITIONS = [
  'Index Cond',
  'Recheck Cond',
  'Filter',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
];

/** Returns the conditions of a node of a plan. */
export function conditionsOf(node: PlanNode): string {
  const found = CONDITIONS.map((member) => node[member]);
  return found.filter((condition) => typeof condition === 'string').join(' ');
}

/**
 * Returns those of `tables` that the plan reads without a condition on their `datagrid_id`, neither
 * in the scan nor in a join.
 */
export function readWithoutDatagrid(plan: PlanNode, tables: ReadonlySet<string>): string[] {
  const nodes = nodesOf(plan);
  const everywhere = nodes.map(conditionsOf).join(' ');
  return nodes
    .filter((node) => isRead(node, tables) && !namesDatagrid(node, everywhere))
    .map((node) => node['Relation Name'] ?? '');
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function isRead(node: PlanNode, tables: ReadonlySet<string>): boolean {
  return tables.has(node['Relation Name'] ?? '') && node['Node Type'] !== 'ModifyTable';
}

/**
 * Returns true if a condition names the table's `datagrid_id`. Each table of a plan has its own
 * alias.
 */
function namesDatagrid(node: PlanNode, everywhere: string): boolean {
  const alias = node.Alias ?? '';
  const column = `(\\b${alias}\\.)?\\bdatagrid_id`;
  const named = new RegExp(`${column} = |= ${column}\\b`);
  const joined = new RegExp(`\\b${alias}\\.datagrid_id = |= ${alias}\\.datagrid_id\\b`);
  return named.test(conditionsOf(node)) || joined.test(everywhere);
}
