import { editableValue } from '../../grid/cells/values/shown-value';
import { typedJson } from '../../grid/cells/values/typed-value';
import { datagridsText } from '../../text/datagrids-text';
import { linksText } from '../../text/links-text';
import { COLUMN_TYPES, isComputed, isLink, mayIgnoreCase, type ColumnType } from '../column-type';
import type { Column, ColumnOptions, DeletePolicy, JsonValue } from '../datagrid';
import { linkColumns } from '../stored-columns';

/** Content of the form of a column. */
export interface ColumnDraft {
  readonly key: string;
  readonly title: string;
  readonly type: ColumnType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** Whether values that differ only in case are equal. */
  readonly ignoreCase: boolean;
  /** One choice per line. */
  readonly choices: string;
  /** Default value as typed in a cell; empty for none. */
  readonly defaultValue: string;
  /** Id of the linked datagrid, or of the one whose rows are counted; empty for none. */
  readonly datagridId: string;
  readonly onDelete: DeletePolicy;
  /** Key of the link column that a lookup follows; empty for none. */
  readonly link: string;
  /** Key of the column of the other datagrid that a computed column reads; empty for none. */
  readonly column: string;
  /** True if a column that a computed column reads was removed. */
  readonly broken: boolean;
  /** First number of a column of numbers; empty for 1. */
  readonly start: string;
  /** Previous keys that requests may no longer use. */
  readonly releaseKeys: readonly string[];
}

export const EMPTY_DRAFT: ColumnDraft = {
  key: '',
  title: '',
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  ignoreCase: false,
  choices: '',
  defaultValue: '',
  datagridId: '',
  onDelete: 'restrict',
  link: '',
  column: '',
  broken: false,
  start: '',
  releaseKeys: [],
};

export function draftOf(column: Column): ColumnDraft {
  const { key, title, type, required, unique, indexed, options } = column;
  return {
    ...{ key, title, type, required, unique, indexed },
    ignoreCase: options.ignoreCase ?? false,
    choices: options.choices?.join('\n') ?? '',
    defaultValue: editableValue(column, column.defaultValue),
    datagridId: options.datagridId ?? '',
    onDelete: options.onDelete ?? 'restrict',
    link: options.link ?? '',
    column: options.column ?? '',
    broken: options.broken ?? false,
    start: options.start === undefined ? '' : String(options.start),
    releaseKeys: [],
  };
}

/**
 * Returns a draft with another type. A lookup follows the only link column of the datagrid.
 * @param columns Columns of the datagrid.
 */
export function withType(
  draft: ColumnDraft,
  type: ColumnType,
  columns: readonly Column[],
): ColumnDraft {
  const [link, ...others] = linkColumns(columns);
  return {
    ...draft,
    type,
    // The linked datagrid is not the one whose rows link to this one.
    datagridId: isLink(draft.type) === isLink(type) ? draft.datagridId : '',
    link: type === 'lookup' && link && others.length === 0 ? link.key : '',
    column: '',
  };
}

/** Returns the columns that a computed column can read in another datagrid. */
export function readableColumns(
  { type }: Pick<ColumnDraft, 'type'>,
  homeId: string,
  columns: readonly Column[],
): Column[] {
  if (type === 'lookup') return columns.filter((column) => !isComputed(column.type));
  return linkColumns(columns).filter(({ options }) => options.datagridId === homeId);
}

/** Returns the choices of a draft. */
export function draftChoices({ choices }: Pick<ColumnDraft, 'choices'>): readonly string[] {
  return choices.split('\n').filter((choice) => choice.trim() !== '');
}

/** Returns the options of a new column, without those that it gets anyway; undefined for none. */
export function newOptions(draft: ColumnDraft): ColumnOptions | undefined {
  const { type, datagridId, onDelete, link, column, start, ignoreCase } = draft;
  if (COLUMN_TYPES[type].hasChoices) return { choices: draftChoices(draft) };
  if (isLink(type)) return { datagridId, onDelete };
  if (type === 'lookup') return { link, column };
  if (type === 'count') return { datagridId, column };
  if (type === 'autonumber') return start.trim() === '' ? undefined : { start: Number(start) };
  return mayIgnoreCase(type) && ignoreCase ? { ignoreCase } : undefined;
}

/** Properties of a new column whose errors a form shows at their fields. */
export const DRAFT_FIELDS = [
  'key',
  'title',
  'type',
  'options.choices',
  'options.datagridId',
  'options.link',
  'options.column',
  'options.start',
] as const;

/** The maximum of the service. */
const MAX_START = 1_000_000_000_000;

/** Returns what the form can tell without the server, by field; empty if the draft can be sent. */
export function draftProblems(draft: ColumnDraft): Readonly<Record<string, string>> {
  const { type, datagridId, link, column } = draft;
  const t = linksText.column;
  if (isLink(type)) return datagridId === '' ? { 'options.datagridId': t.noDatagrid } : {};
  if (type === 'lookup') {
    if (link === '') return { 'options.link': t.noLink };
    return column === '' ? { 'options.column': t.noColumn } : {};
  }
  if (type === 'count') {
    if (datagridId === '') return { 'options.datagridId': t.noDatagrid };
    return column === '' ? { 'options.column': t.noColumn } : {};
  }
  if (type === 'autonumber') return startProblems(draft);
  const typed = typedJson(draft, draft.defaultValue);
  return typed.ok ? {} : { defaultValue: typed.message };
}

function startProblems({ start }: ColumnDraft): Readonly<Record<string, string>> {
  const isInRange = /^\d+$/.test(start.trim()) && Number(start) <= MAX_START;
  if (start.trim() === '' || isInRange) return {};
  return { 'options.start': datagridsText.column.wrongStart };
}

export function defaultOf(draft: ColumnDraft): JsonValue {
  const typed = typedJson(draft, draft.defaultValue);
  return typed.ok ? (JSON.parse(typed.json) as JsonValue) : draft.defaultValue;
}
