import { dataRequest } from '../../api/data';
import { request } from '../../api/client';
import { hasChoices, type Column, type ColumnType } from '../datagrid';
import { datagridPath, reloadDatagrid } from '../datagrid-calls';

/** A column as it stands in its form. */
export interface ColumnDraft {
  readonly key: string;
  readonly title: string;
  readonly type: ColumnType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** One a line. */
  readonly choices: string;
}

/** The members of a column that are sent: those that differ, and those that go with them. */
export type ColumnBody = Partial<
  Omit<ColumnDraft, 'choices'> & { readonly options: { readonly choices?: readonly string[] } }
>;

/** What a change would meet in the rows that are there. */
export interface ChangePreview {
  readonly rows: number;
  /** Rows that were looked at: with very many, not all of them. */
  readonly checked: number;
  readonly conflicting: number;
  readonly examples: readonly { readonly rowId: number; readonly value: unknown }[];
}

export const EMPTY_DRAFT: ColumnDraft = {
  key: '',
  title: '',
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  choices: '',
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
  };
}

export function newColumnBody(draft: ColumnDraft): ColumnBody {
  const { key, title, type, required, unique, indexed } = draft;
  return {
    key,
    type,
    ...(title.trim() === '' ? {} : { title }),
    ...(required ? { required } : {}),
    ...(unique ? { unique } : {}),
    ...(indexed ? { indexed } : {}),
    ...(hasChoices(type) ? { options: { choices: choicesOf(draft) } } : {}),
  };
}

/** What differs from the column as it is; empty where nothing does. */
export function changedBody(column: Column, draft: ColumnDraft): ColumnBody {
  const before = draftOf(column);
  const differs = (member: keyof ColumnDraft): boolean => before[member] !== draft[member];
  const isOtherType = differs('type');
  const isOtherChoices = hasChoices(draft.type) && (isOtherType || differs('choices'));
  return {
    ...(differs('title') ? { title: draft.title } : {}),
    ...(isOtherType ? { type: draft.type } : {}),
    ...(differs('required') ? { required: draft.required } : {}),
    ...(differs('unique') ? { unique: draft.unique } : {}),
    ...(differs('indexed') ? { indexed: draft.indexed } : {}),
    ...(isOtherChoices ? { options: { choices: choicesOf(draft) } } : {}),
    ...(isOtherType && hasChoices(column.type) && !hasChoices(draft.type) ? { options: {} } : {}),
  };
}

/** Whether rows that are there may conflict with it. */
export function isCheckedAgainstRows(body: ColumnBody): boolean {
  return (
    body.type !== undefined ||
    body.options !== undefined ||
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
  return (await request<ChangePreview>('POST', path, { body })).data;
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

function choicesOf({ choices }: ColumnDraft): readonly string[] {
  return choices.split('\n').filter((choice) => choice.trim() !== '');
}
