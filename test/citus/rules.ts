import { conditionsOf, type PlanNode } from './plan';

/** Tables by their place on a Citus cluster. */
export interface Places {
  readonly distributed: ReadonlySet<string>;
  readonly reference: ReadonlySet<string>;
  readonly coordinator: ReadonlySet<string>;
}

/** Functions that are not immutable. Citus evaluates none of them in RETURNING. */
const NOT_IMMUTABLE =
  /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|random|extract|date_part|to_char)\(/;

const WRITTEN = /(?<!\b(?:FOR|DO|KEY) )\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?/g;

function mentions(text: string, tables: ReadonlySet<string>): boolean {
  return [...tables].some((table) => new RegExp(`(?<!\\.)\\b${table}\\b`).test(text));
}

/** Returns the tables that a statement writes. */
function writtenTables(text: string): string[] {
  return [...text.matchAll(WRITTEN)]
    .map(([, table = '']) => table)
    .filter((table) => table !== 'OF');
}

/** Returns the RETURNING lists of a statement. */
const returningLists = (text: string): string[] => partsFrom(text, /\bRETURNING\b/g);

/** Returns what follows DO UPDATE in a statement. */
const updateLists = (text: string): string[] => partsFrom(text, /\bDO UPDATE SET\b/g);

/** Returns the parts of a statement from a keyword to the end of its parentheses. */
function partsFrom(text: string, keyword: RegExp): string[] {
  return [...text.matchAll(keyword)].map(({ index }) => {
    let depth = 0;
    let end = index;
    for (; end < text.length; end += 1) {
      if (text[end] === '(') depth += 1;
      if (text[end] === ')') depth -= 1;
      if (depth < 0) break;
    }
    return text.slice(index, end);
  });
}

/** Returns what Citus would reject in the text of a statement; an empty list if nothing. */
export function rejectedByCitus(text: string, places: Places): string[] {
  const isPlaced = mentions(text, places.distributed) || mentions(text, places.reference);
  if (!isPlaced) return [];
  const found: string[] = [];
  if (returningLists(text).some((list) => NOT_IMMUTABLE.test(list))) {
    found.push('a function in RETURNING that is not immutable');
  }
  if (
    updateLists(text).some((list) => NOT_IMMUTABLE.test(list) || /[-+]\s*interval\b/.test(list))
  ) {
    found.push('a function after DO UPDATE that is not immutable');
  }
  if (/\bSET\b(?:(?!\b(?:WHERE|FROM|RETURNING)\b)[^])*?[\s,]"?datagrid_id"? =/.test(text)) {
    found.push('an update of the distribution column');
  }
  const written = writtenTables(text);
  if (written.length > 0 && /\bCASE\s+(?!WHEN\b|\s)/.test(text)) {
    found.push('a CASE that compares an expression, in a write');
  }
  const isOf = (tables: ReadonlySet<string>): boolean => written.some((name) => tables.has(name));
  const kinds = [places.distributed, places.reference, places.coordinator].filter(isOf);
  if (kinds.length > 1) found.push('writes of tables in different places');
  // Citus supports INSERT … SELECT from any table.
  const isInsert = /^\s*INSERT INTO\b/.test(text);
  const isLocking = /\bFOR (NO KEY )?(UPDATE|SHARE)\b/.test(text);
  if (isOf(places.coordinator) && !isInsert && (isLocking || mentions(text, places.reference))) {
    found.push('a write of the coordinator that reads tables of datagrids');
  }
  return found;
}

/**
 * Returns the distributed tables that a subquery reads by a column of a reference table or by the result
 * of a function, such as `unnest`.
 */
export function correlatedOnReference(plan: PlanNode, places: Places): string[] {
  const all = nodesOf(plan);
  const aliases = all
    .filter(
      (node) =>
        places.reference.has(node['Relation Name'] ?? '') || node['Node Type'] === 'Function Scan',
    )
    .map((node) => node.Alias ?? '');
  const subplans = all.filter((node) => node['Parent Relationship'] === 'SubPlan').flatMap(nodesOf);
  return subplans
    .filter((node) => places.distributed.has(node['Relation Name'] ?? ''))
    .filter((node) => aliases.some((alias) => isBoundTo(node, alias)))
    .map((node) => node['Relation Name'] ?? '');
}

function isBoundTo(node: PlanNode, alias: string): boolean {
  return new RegExp(`datagrid_id = ${alias}\\.id\\b`).test(conditionsOf(node));
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
