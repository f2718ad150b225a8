import { isApiError } from '../api/api-error';

/** A row with a link that restricts a deletion. */
export interface RestrictingLink {
  /** Id of the row that cannot be deleted. */
  readonly target: string;
  readonly datagridId: string;
  readonly rowId: string;
  /** Key of the column with the link; undefined if its datagrid is in the trash. */
  readonly column?: string;
}

/** Why links prevent an action. */
export type LinkConflict =
  | { readonly kind: 'rows'; readonly links: readonly RestrictingLink[] }
  /** A datagrid has links to the one that is to be deleted. */
  | { readonly kind: 'datagrid'; readonly column: string; readonly datagridId: string }
  /** A datagrid that is to be restored has links to one in the trash. */
  | { readonly kind: 'trashed'; readonly column: string; readonly datagridId: string };

const ROW = /^row (\d+) of datagrid ([0-9a-f-]{36}) links to it in column (\w+)$/;
const TRASHED_ROW = /^row (\d+) of datagrid ([0-9a-f-]{36}), which is in the trash, links to it$/;
const DATAGRID = /^Column (\w+) of datagrid ([0-9a-f-]{36}) links to this datagrid\./;
const TRASHED = /^Column (\w+) links to datagrid ([0-9a-f-]{36}), which is in the trash\./;

/** Reads which links prevented an action, from the messages of the service; undefined for other errors. */
export function linkConflict(error: unknown): LinkConflict | undefined {
  if (!isApiError(error, 'conflict')) return undefined;
  const { message, details } = error;
  const [, column, datagridId] = DATAGRID.exec(message) ?? [];
  if (column !== undefined && datagridId !== undefined)
    return { kind: 'datagrid', column, datagridId };
  const [, from, to] = TRASHED.exec(message) ?? [];
  if (from !== undefined && to !== undefined)
    return { kind: 'trashed', column: from, datagridId: to };
  const links = details.flatMap((detail) => restrictingLink(detail.field, detail.message) ?? []);
  if (links.length === 0 || links.length < details.length) return undefined;
  return { kind: 'rows', links };
}

function restrictingLink(field: string, message: string): RestrictingLink | undefined {
  const target = /^rows\.(\d+)$/.exec(field)?.[1];
  const [, rowId, datagridId, column] = ROW.exec(message) ?? TRASHED_ROW.exec(message) ?? [];
  if (target === undefined || rowId === undefined || datagridId === undefined) return undefined;
  return { target, datagridId, rowId, ...(column !== undefined && { column }) };
}
