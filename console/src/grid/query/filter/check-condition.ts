import { isLink, type ColumnType } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { expectedFor, readValue } from '../../../datagrids/import/values/read-value';
import { gridText } from '../../../text/grid-text';
import { linksText } from '../../../text/links-text';
import { isRowId } from '../../cells/links/linked-ids';
import { JSON_NUMBER } from '../../cells/values/typed-value';
import { unlocalized } from '../../cells/values/unlocalized';
import { takesNoValue, typedValues, type Condition } from './condition';
import { isCondition, isGroup, type FilterGroup } from './filter-group';

/** Maximum length of a text to search for, in Unicode code points. */
const MAX_SEARCH_CHARACTERS = 256;
/** How the API writes numbers and dates. */
const API_FORMATS = { mark: '.', order: 'dmy' } as const;

/** Types whose values can be compared with any text, for example a part of an address. */
const COMPARED_AS_TEXT: ReadonlySet<ColumnType> = new Set(['text', 'email', 'url']);

/** Returns a condition with numbers and dates in the form of the API. */
export function normalCondition(column: Column, condition: Condition): Condition {
  const values = typedValues(condition).map((typed) => unlocalized(column, typed));
  return takesNoValue(condition.operator) ? condition : { ...condition, typed: values.join('\n') };
}

/** Returns the reason why the API would reject the value of a condition. */
export function conditionError(column: Column, condition: Condition): string | undefined {
  if (takesNoValue(condition.operator)) return undefined;
  const values = typedValues(condition);
  if (values.length === 0 || values.includes(''))
    return isLink(column.type) ? linksText.filter.missing : gridText.filter.missing;
  for (const typed of values) {
    const error = valueError(column, condition, unlocalized(column, typed));
    if (error !== undefined)
      return values.length > 1 ? gridText.filter.wrongValue(typed, error) : error;
  }
  return undefined;
}

function valueError(column: Column, { operator }: Condition, typed: string): string | undefined {
  if (column.type === 'multiSelect') {
    return column.options.choices?.includes(typed) === true ? undefined : gridText.filter.noChoice;
  }
  if (isLink(column.type)) {
    return isRowId(typed.trim()) ? undefined : linksText.filter.wrongId;
  }
  if (COMPARED_AS_TEXT.has(column.type)) {
    const isTooLong = operator === '$contains' && Array.from(typed).length > MAX_SEARCH_CHARACTERS;
    return isTooLong ? gridText.filter.tooLong(MAX_SEARCH_CHARACTERS) : undefined;
  }
  const isRead = readValue(typed, column, API_FORMATS) !== undefined;
  return isRead && HAS_API_FORM[column.type]?.(typed.trim()) !== false
    ? undefined
    : gridText.filter.expected(expectedFor(column.type));
}

const isNumber = (typed: string): boolean =>
  JSON_NUMBER.test(typed) && Number.isFinite(Number(typed));

/** Whether a value is written as the API takes it, and not in a form that only imports read. */
const HAS_API_FORM: Readonly<Partial<Record<ColumnType, (typed: string) => boolean>>> = {
  integer: isNumber,
  number: isNumber,
  decimal: (typed) => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(typed),
  boolean: (typed) => typed === 'true' || typed === 'false',
  date: (typed) => /^\d{4}-\d{2}-\d{2}$/.test(typed),
  datetime: (typed) =>
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,3})?([Zz]|[+-]\d{2}:\d{2})$/.test(typed),
};

/** Returns whether the API accepts the values of all conditions. */
export function isValidFilter(group: FilterGroup, columns: readonly Column[]): boolean {
  return group.parts.every((part) => {
    if (isGroup(part)) return isValidFilter(part, columns);
    const column = isCondition(part) ? columns.find(({ key }) => key === part.key) : undefined;
    return !column || !isCondition(part) || conditionError(column, part) === undefined;
  });
}

/** Returns a filter whose conditions have numbers and dates in the form of the API. */
export function normalFilter(group: FilterGroup, columns: readonly Column[]): FilterGroup {
  const parts = group.parts.map((part) => {
    if (isGroup(part)) return normalFilter(part, columns);
    const column = isCondition(part) ? columns.find(({ key }) => key === part.key) : undefined;
    return column && isCondition(part) ? normalCondition(column, part) : part;
  });
  return { ...group, parts };
}
