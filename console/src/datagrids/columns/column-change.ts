import { dataRequest } from '../../api/data';
import {
  COLUMN_TYPES,
  isComputed,
  isLink,
  isReadOnly,
  mayIgnoreCase,
  type ColumnType,
} from '../column-type';
import type { Column, ColumnOptions, JsonValue } from '../datagrid';
import { datagridPath, reloadDatagrid } from '../datagrid-calls';
import { defaultOf, draftChoices, draftOf, newOptions, type ColumnDraft } from './column-draft';

/** Properties to send: those that differ, and those that must be sent with them. */
export interface ColumnBody {
  readonly key?: string;
  readonly releaseKeys?: readonly string[];
  readonly title?: string;
  readonly type?: ColumnType;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly indexed?: boolean;
  readonly defaultValue?: JsonValue;
  readonly options?: ColumnOptions;
  readonly convert?: boolean;
}

/** Value of a row before and after a conversion. */
export interface ConvertedExample {
  readonly rowId: number;
  readonly value: unknown;
  /** `null` if the value does not convert. */
  readonly converted: unknown;
}

/** What a change does with the existing rows, or which of them conflict with it. */
export interface ChangePreview {
  readonly rows: number;
  /** Number of checked rows. In a very large datagrid, not all are checked. */
  readonly checked: number;
  readonly conflicting: number;
  readonly examples: readonly { readonly rowId: number; readonly value: unknown }[];
  readonly conversion?: {
    readonly converted: number;
    readonly emptied: number;
    readonly convertedExamples: readonly ConvertedExample[];
    readonly emptiedExamples: readonly ConvertedExample[];
  };
  /** Choices that the change takes from the values. */
  readonly choices?: readonly string[];
}

export function newColumnBody(draft: ColumnDraft): ColumnBody {
  const { key, title, type, required, unique, indexed } = draft;
  const options = newOptions(draft);
  const hasRules = !isReadOnly(type);
  const hasDefault = hasRules && !isLink(type) && draft.defaultValue !== '';
  return {
    key,
    type,
    ...(title.trim() === '' ? {} : { title }),
    ...(hasRules && required ? { required } : {}),
    ...(hasRules && unique ? { unique } : {}),
    ...(indexed && !isComputed(type) ? { indexed } : {}),
    ...(options ? { options } : {}),
    ...(hasDefault ? { defaultValue: defaultOf(draft) } : {}),
  };
}

/**
 * Returns the changed properties of the column, or an empty object. A new type or new choices convert
 * the values. Choices that are left blank for a new type are taken from the values.
 */
export function changedBody(column: Column, draft: ColumnDraft): ColumnBody {
  const before = draftOf(column);
  const { key, title, type, required, unique, indexed, releaseKeys } = draft;
  const differs = (member: keyof ColumnDraft): boolean => before[member] !== draft[member];
  const isOtherType = differs('type');
  const isOtherChoices = COLUMN_TYPES[type].hasChoices && (isOtherType || differs('choices'));
  const options = changedOptions(column, draft);
  return {
    ...(differs('key') ? { key } : {}),
    ...(releaseKeys.length > 0 ? { releaseKeys } : {}),
    ...(differs('title') ? { title } : {}),
    ...(isOtherType ? { type } : {}),
    ...(differs('required') ? { required } : {}),
    ...(differs('unique') ? { unique } : {}),
    ...(differs('indexed') ? { indexed } : {}),
    ...(options ? { options } : {}),
    ...(isOtherType || isOtherChoices ? { convert: true } : {}),
    ...(differs('defaultValue') ? { defaultValue: defaultOf(draft) } : {}),
  };
}

/** Returns all options after a change of some, or undefined if the service keeps or finds them. */
function changedOptions(column: Column, draft: ColumnDraft): ColumnOptions | undefined {
  const before = draftOf(column);
  const { type, datagridId, onDelete, ignoreCase } = draft;
  const isOtherType = before.type !== type;
  const hadChoices = COLUMN_TYPES[column.type].hasChoices;
  if (COLUMN_TYPES[type].hasChoices) {
    const choices = draftChoices(draft);
    const isFromValues = isOtherType && !hadChoices && choices.length === 0;
    const isChanged = isOtherType || before.choices !== draft.choices;
    return isChanged && !isFromValues ? { choices } : undefined;
  }
  if (isLink(type)) {
    return before.onDelete === onDelete ? undefined : { datagridId, onDelete };
  }
  if (mayIgnoreCase(type) && ignoreCase && (isOtherType || !before.ignoreCase)) {
    return { ignoreCase };
  }
  const isCaseOff = !isOtherType && before.ignoreCase !== ignoreCase;
  return isCaseOff || (isOtherType && hadChoices) ? {} : undefined;
}

/** Returns true if existing rows may conflict with the change of a column, or change with it. */
export function isCheckedAgainstRows(body: ColumnBody, column: Pick<Column, 'unique'>): boolean {
  return (
    body.type !== undefined ||
    body.options?.choices !== undefined ||
    body.required === true ||
    body.unique === true ||
    // Unique values may become equal.
    (column.unique && body.unique !== false && body.options?.ignoreCase === true)
  );
}

export async function previewChange(
  datagridId: string,
  key: string,
  body: ColumnBody,
): Promise<ChangePreview> {
  const path = `${datagridPath(datagridId)}/columns/${key}/preview`;
  return (await dataRequest<ChangePreview>('POST', path, { body })).data;
}

export async function addColumn(id: string, body: ColumnBody, key: string): Promise<void> {
  await dataRequest('POST', `${datagridPath(id)}/columns`, { body, idempotencyKey: key });
  await reloadDatagrid(id);
}

export async function changeColumn(id: string, key: string, body: ColumnBody): Promise<void> {
  await dataRequest('PATCH', `${datagridPath(id)}/columns/${key}`, { body });
  await reloadDatagrid(id);
}

export async function removeColumn(id: string, key: string): Promise<void> {
  await dataRequest('DELETE', `${datagridPath(id)}/columns/${key}`);
  await reloadDatagrid(id);
}
