import type { Column } from '../../datagrids/datagrid';
import type { Condition, Operator } from '../filter/condition';
import { filterJson, operatorsOf, takesNoValue } from '../filter/condition';
import { sortOf, sortParameter, type GridView } from '../filter/grid-view';
import type { LayoutColumn } from './layout';

type Json = Readonly<Record<string, unknown>>;

/** A saved view, as the API returns it. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly filter: Json | null;
  readonly sort: string | null;
  readonly q: string | null;
  readonly columns: readonly LayoutColumn[];
  readonly updatedAt: string;
}

/** The query of a saved view, as the grid shows and changes it. */
export interface ShownView {
  readonly view: GridView;
  /** JSON of a filter that the filter dialog cannot show. It applies beside the conditions. */
  readonly base: string | undefined;
}

/** Returns the query of a saved view in the form of the grid. */
export function shownView({ filter, sort, q }: SavedView, columns: readonly Column[]): ShownView {
  const conditions = filter === null ? [] : conditionsOf(filter, columns);
  return {
    view: { conditions: conditions ?? [], sort: sortOf(sort ?? ''), q: q ?? '' },
    base: conditions === null ? JSON.stringify(filter) : undefined,
  };
}

/** Returns the JSON of a filter that both filters must match. */
export function bothFilters(base: string | undefined, own: string | undefined): string | undefined {
  if (base === undefined || own === undefined) return base ?? own;
  return `{"$and":[${base},${own}]}`;
}

/** Whether a view filters or sorts by a column that was removed, so that the service rejects it. */
export function namesRemovedColumn({ filter, sort }: SavedView): boolean {
  return (sort ?? '').includes('~') || (filter !== null && namesOf(filter).some(isRemoved));
}

/** Returns the names that the filter and the sort order of a view contain. */
export function columnsNamedBy({ filter, sort }: SavedView): string[] {
  const sorted = (sort ?? '').split(',').map((name) => name.replace(/^-/, ''));
  return [...sorted, ...(filter === null ? [] : namesOf(filter))];
}

/** The service names a removed column `key~id`. */
const isRemoved = (name: string): boolean => name.includes('~');

function namesOf(filter: Json): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (name === '$not') return namesOf(value as Json);
    if (name === '$and' || name === '$or') return (value as readonly Json[]).flatMap(namesOf);
    return [name];
  });
}

/** Whether two queries of the grid are the same. */
export function isSameView(a: GridView, b: GridView, columns: readonly Column[]): boolean {
  return (
    filterJson(a.conditions, columns) === filterJson(b.conditions, columns) &&
    sortParameter(a.sort) === sortParameter(b.sort) &&
    a.q === b.q
  );
}

/**
 * Returns a filter as conditions that must all be met.
 * @returns `null` if the filter has another form, such as one with `$or`.
 */
export function conditionsOf(filter: Json, columns: readonly Column[]): Condition[] | null {
  const found: Condition[] = [];
  for (const [name, value] of Object.entries(filter)) {
    const parts =
      name === '$and'
        ? (value as readonly Json[]).map((part) => conditionsOf(part, columns))
        : [columnConditions(name, value, columns)];
    for (const part of parts) {
      if (part === null) return null;
      found.push(...part);
    }
  }
  return found;
}

function columnConditions(
  key: string,
  value: unknown,
  columns: readonly Column[],
): Condition[] | null {
  const column = columns.find((one) => one.key === key);
  if (!column) return null;
  const operators = isObject(value) ? Object.entries(value) : [['$eq', value] as const];
  const found: Condition[] = [];
  for (const [operator, operand] of operators) {
    const condition = conditionOf(column, operator, operand);
    if (!condition) return null;
    found.push(condition);
  }
  return found;
}

/** Returns the condition that means exactly this operator with this operand; `null` if none does. */
function conditionOf(column: Column, name: string, operand: unknown): Condition | null {
  const { key } = column;
  if (name === '$isNull')
    return { key, operator: operand === true ? 'empty' : 'notEmpty', typed: '' };
  const operator = operatorsOf(column.type).find((one): one is Operator => one === name);
  if (operator === undefined || takesNoValue(operator)) return null;
  const texts = (Array.isArray(operand) ? operand : [operand]).map(textOf);
  const condition = { key, operator, typed: texts.join('\n') };
  const json = filterJson([condition], [column]) ?? '';
  const isExact =
    JSON.stringify(JSON.parse(json)) === JSON.stringify({ [key]: { [name]: operand } });
  return isExact ? condition : null;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (operand: unknown): string =>
  typeof operand === 'string' ? operand : JSON.stringify(operand);
