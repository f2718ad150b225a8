import type { Caller } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import type { LinkColumn } from '../../datagrids/schema/datagrid-schema';

/** The account that reads, and the datagrids that its key is limited to. */
export type Reader = Pick<Caller, 'accountId' | 'onlyDatagridIds'>;

/**
 * Checks that a key has access to the datagrid that a column links to.
 * @throws AppError `forbidden`, whether or not the linked rows exist.
 */
export function requireLinkAccess(
  { onlyDatagridIds }: { readonly onlyDatagridIds?: readonly string[] | null },
  { key, options }: LinkColumn,
): void {
  if (!onlyDatagridIds || onlyDatagridIds.includes(options.datagridId)) return;
  throw new AppError(
    'forbidden',
    `This API key has no access to the datagrid that column ${key} links to.`,
  );
}
