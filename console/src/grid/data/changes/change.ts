import type { ApiKey, User } from '../../../api/types';
import type { Column, JsonValue, Row } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { quoted } from '../../../text/words';
import { titledValue, type TitleSource } from '../../cells/links/links-as-text';
import { exactTitle } from '../../cells/values/shown-value';

const t = gridText.authors;

/** Author of a change. `keyId` is `null` for a change in the console. */
export interface Author {
  readonly userId: string;
  readonly keyId: string | null;
}

interface Origin {
  readonly changedAt?: string;
  /** `null` for an operator and the service itself. Absent if it is not known yet. */
  readonly changedBy?: Author | null;
}

/** An item of the feed of changes, as in the public API. There can be others. */
export type FeedItem = Origin &
  (
    | { readonly op: 'set'; readonly row: Row }
    | { readonly op: 'delete'; readonly id: number; readonly revision: number }
    | { readonly op: 'schema'; readonly revision: number; readonly columns: readonly Column[] }
  );

/** A change in the list of changes. */
export interface ListedChange {
  /** Identifies the change, so that an item that comes twice is listed once. */
  readonly key: string;
  readonly kind: 'added' | 'changed' | 'deleted' | 'columns';
  /** `null` for a change of columns. */
  readonly rowId: number | null;
  readonly at: string | undefined;
  readonly by: Author | null | undefined;
  /** Values after the change; empty for a deleted row. */
  readonly values: Row['values'];
  /** Values before the change, if the grid had loaded the row. */
  readonly before: Row['values'] | undefined;
}

/** @param before The row before the change, if it is known. */
export function listedChange(item: FeedItem, before: Row['values'] | undefined): ListedChange {
  const { op, changedAt, changedBy: by } = item;
  if (op === 'set') {
    const { id, revision, createdAt, updatedAt, values } = item.row;
    const kind = createdAt === updatedAt ? 'added' : 'changed';
    const at = changedAt ?? updatedAt;
    return { key: `${id} ${revision}`, kind, rowId: id, at, by, values, before };
  }
  const rowId = op === 'delete' ? item.id : null;
  const kind = op === 'delete' ? 'deleted' : 'columns';
  const key = `${op} ${rowId} ${item.revision}`;
  return { key, kind, rowId, at: changedAt, by, values: {}, before: undefined };
}

/**
 * Returns who made a change, and with which of the user's own keys. Only owners can read the email
 * addresses of other users.
 * @param words Names of authors without an email address, at the start of a text or within it.
 */
export function authorName(
  by: Author | null | undefined,
  ownId: string,
  users: readonly User[],
  ownKeys: readonly Pick<ApiKey, 'id' | 'name'>[],
  words: typeof t.within = t,
): string | undefined {
  if (by === undefined) return undefined;
  if (by === null) return words.service;
  const email = users.find(({ id }) => id === by.userId)?.email;
  const name = by.userId === ownId ? words.you : (email ?? words.other);
  if (by.keyId === null) return name;
  const key = ownKeys.find(({ id }) => id === by.keyId);
  return key ? t.withKey(name, quoted(key.name)) : t.withOtherKey(name);
}

/** One value of a changed row. */
export interface ShownCell {
  readonly title: string;
  readonly value: string;
  /** The value before; undefined if it is not known. */
  readonly before: string | undefined;
  /** Exact texts of dates. Undefined for other types. */
  readonly exact: string | undefined;
}

const MAX_CELLS = 4;
const MAX_LENGTH = 80;

/**
 * Returns the changed values of a row if the values before are known, and otherwise its first
 * values; at most 4, and how many others there are.
 */
export function shownCells(
  { values, before, kind }: ListedChange,
  columns: readonly Column[],
  titles: TitleSource,
): {
  readonly cells: readonly ShownCell[];
  readonly others: number;
  /** True if the cells are those of the changed row as it is, because nobody knows which changed. */
  readonly isWhole: boolean;
} {
  if (kind === 'deleted' || kind === 'columns') return { cells: [], others: 0, isWhole: false };
  const chosen = columns.filter(({ key }) =>
    before ? !isSame(before[key], values[key]) : values[key] !== undefined,
  );
  const cells = chosen.slice(0, MAX_CELLS).map((column) => ({
    title: column.title,
    value: shortened(titledValue(column, values[column.key], titles)),
    before: before && shortened(titledValue(column, before[column.key], titles)),
    exact: exactTitle(column, before?.[column.key], values[column.key]),
  }));
  const isWhole = kind === 'changed' && before === undefined;
  return { cells, others: chosen.length - cells.length, isWhole };
}

/** Returns whether two values are equal. No value is `null` or `undefined`. */
export const isSame = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

const shortened = (text: string): string =>
  text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
