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
 * are read nor where what was read is joined.
 */
export function readWithoutDatagrid(
  plan: PlanNode,
  tables: ReadonlySet<string>,
  above = '',
): string[] {
  const conditions = `${above} ${conditionsOf(plan)}`;
  const table = plan['Relation Name'];
  const isRead = table !== undefined && tables.has(table) && plan['Node Type'] !== 'ModifyTable';
  const own = isRead && !namesDatagrid(plan, conditionsOf(plan), above) ? [table] : [];
  return [
    ...own,
    ...(plan.Plans ?? []).flatMap((child) => readWithoutDatagrid(child, tables, conditions)),
  ];
}

function namesDatagrid({ Alias: alias = '' }: PlanNode, own: string, above: string): boolean {
  const column = `(\\b${alias}\\.)?\\bdatagrid_id`;
  const named = new RegExp(`${column} = |= ${column}\\b`);
  const joined = new RegExp(`\\b${alias}\\.datagrid_id = |= ${alias}\\.datagrid_id\\b`);
  return named.test(own) || joined.test(above);
}
