import { dataRequest } from '../../api/data';
import { COLUMN_TYPES, isLink, isReadOnly, type ColumnType } from '../column-type';
import { editableValue } from '../../grid/values/shown-value';
import { typedJson } from '../../grid/values/typed-value';
import { linksText } from '../../text/links-text';
import type { Column, ColumnOptions, DeletePolicy, JsonValue } from '../datagrid';
import { datagridPath, reloadDatagrid } from '../datagrid-calls';

/** Content of the form of a column. */
export interface ColumnDraft {
  readonly key: string;
  readonly title: string;
  readonly type: ColumnType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** One choice per line. */
  readonly choices: string;
  /** Default value as typed in a cell; empty for none. */
  readonly defaultValue: string;
  /** Id of the linked datagrid; empty for none. */
  readonly datagridId: string;
  readonly onDelete: DeletePolicy;
  /** First number of a new column of numbers; empty for 1. */
  readonly start: string;
}

/** Properties to send: those that differ, and those that must be sent with them. */
export type ColumnBody = Partial<
  Omit<ColumnDraft, 'choices' | 'defaultValue' | 'datagridId' | 'onDelete' | 'start'> & {
    readonly defaultValue: JsonValue;
    readonly options: ColumnOptions;
    readonly convert: boolean;
  }
>;

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

export const EMPTY_DRAFT: ColumnDraft = {
  key: '',
  title: '',
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  choices: '',
  defaultValue: '',
  datagridId: '',
  onDelete: 'restrict',
  start: '',
};

export function draftOf(column: Column): ColumnDraft {
  const { key, title, type, required, unique, indexed, options } = column;
  return {
    key,
    title,
    type,
    required,
    unique,
    indexed,
    choices: options.choices?.join('\n') ?? '',
    defaultValue: editableValue(column, column.defaultValue),
    datagridId: options.datagridId ?? '',
    onDelete: options.onDelete ?? 'restrict',
    start: '',
  };
}

export function newColumnBody(draft: ColumnDraft): ColumnBody {
  const { key, title, type, indexed } = draft;
  if (isReadOnly(type)) {
    return {
      key,
      type,
      ...(title.trim() === '' ? {} : { title }),
      ...(indexed ? { indexed } : {}),
      ...(type === 'autonumber' && draft.start.trim() !== ''
        ? { options: { start: Number(draft.start) } }
        : {}),
    };
  }
  const { required, unique } = draft;
  return {
    key,
    type,
    ...(title.trim() === '' ? {} : { title }),
    ...(required ? { required } : {}),
    ...(unique ? { unique } : {}),
    ...(indexed ? { indexed } : {}),
    ...(COLUMN_TYPES[type].hasChoices ? { options: { choices: draftChoices(draft) } } : {}),
    ...(isLink(type) ? { options: linkOptions(draft) } : {}),
    ...(draft.defaultValue === '' || isLink(type) ? {} : { defaultValue: defaultOf(draft) }),
  };
}

const linkOptions = ({ datagridId, onDelete }: ColumnDraft): ColumnOptions => ({
  datagridId,
  onDelete,
});

/** Returns what the form can tell without the server, by field; empty if the draft can be sent. */
export function draftProblems(draft: ColumnDraft): Readonly<Record<string, string>> {
  if (isLink(draft.type)) {
    return draft.datagridId === '' ? { 'options.datagridId': linksText.column.noDatagrid } : {};
  }
  const typed = typedJson(draft, draft.defaultValue);
  return typed.ok ? {} : { defaultValue: typed.message };
}

function defaultOf(draft: ColumnDraft): JsonValue {
  const typed = typedJson(draft, draft.defaultValue);
  return typed.ok ? (JSON.parse(typed.json) as JsonValue) : draft.defaultValue;
}

/**
 * Returns the changed properties of the column, or an empty object. A new type or new choices convert
 * the values. Choices that are left blank for a new type are taken from the values.
 */
export function changedBody(column: Column, draft: ColumnDraft): ColumnBody {
  const before = draftOf(column);
  const differs = (member: keyof ColumnDraft): boolean => before[member] !== draft[member];
  const isOtherType = differs('type');
  const isOtherChoices = COLUMN_TYPES[draft.type].hasChoices && (isOtherType || differs('choices'));
  const isFromValues =
    isOtherType && !COLUMN_TYPES[column.type].hasChoices && draftChoices(draft).length === 0;
  return {
    ...(differs('title') ? { title: draft.title } : {}),
    ...(isOtherType ? { type: draft.type } : {}),
    ...(differs('required') ? { required: draft.required } : {}),
    ...(differs('unique') ? { unique: draft.unique } : {}),
    ...(differs('indexed') ? { indexed: draft.indexed } : {}),
    ...(isOtherChoices && !isFromValues ? { options: { choices: draftChoices(draft) } } : {}),
    ...(isLink(draft.type) && differs('onDelete') ? { options: linkOptions(draft) } : {}),
    ...(isOtherType || isOtherChoices ? { convert: true } : {}),
    ...(differs('defaultValue') ? { defaultValue: defaultOf(draft) } : {}),
    ...(isOtherType && COLUMN_TYPES[column.type].hasChoices && !COLUMN_TYPES[draft.type].hasChoices
      ? { options: {} }
      : {}),
  };
}

/** Returns true if existing rows may conflict with the change, or change with it. */
export function isCheckedAgainstRows(body: ColumnBody): boolean {
  return (
    body.type !== undefined ||
    (body.options !== undefined && body.options.onDelete === undefined) ||
    body.required === true ||
    body.unique === true
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

/** Returns the choices of a draft. */
export function draftChoices({ choices }: ColumnDraft): readonly string[] {
  return choices.split('\n').filter((choice) => choice.trim() !== '');
}
