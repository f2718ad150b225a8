import type { Client } from 'pg';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly Plans?: readonly PlanNode[];
  readonly [condition: string]: string | readonly PlanNode[] | undefined;
}

/** How PostgreSQL would carry out a statement, whatever the values of its parameters. */
export async function planOf(client: Client, text: string): Promise<PlanNode> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error(`No plan for ${text}`);
  return plan;
}

const CONDITIONS = [
  'Index Cond',
  'Recheck Cond',
  'Filter',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
];

function conditionsOf(node: PlanNode): string {
  const found = CONDITIONS.map((member) => node[member]);
  return found.filter((condition) => typeof condition === 'string').join(' ');
}

/**
 * The tables among `tables` that the plan reads without naming their datagrid: neither where they
 * are read nor where what was read is joined, which may be on the other side of the join.
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

/** PostgreSQL gives each table of a plan an alias of its own. */
function namesDatagrid(node: PlanNode, everywhere: string): boolean {
  const alias = node.Alias ?? '';
  const column = `(\\b${alias}\\.)?\\bdatagrid_id`;
  const named = new RegExp(`${column} = |= ${column}\\b`);
  const joined = new RegExp(`\\b${alias}\\.datagrid_id = |= ${alias}\\.datagrid_id\\b`);
  return named.test(conditionsOf(node)) || joined.test(everywhere);
}
