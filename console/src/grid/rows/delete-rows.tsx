import type { ReactNode } from 'react';
import { Confirm } from '../../common/confirm';
import { text } from '../../text/text';
import type { KnownRow } from '../edits/row-edit';
import { deleteRows } from './row-calls';

export interface DeleteRowsProps {
  readonly datagridId: string;
  readonly rows: readonly KnownRow[];
  /** True if somebody else changed the rows, so that the user must confirm again. */
  readonly isAnyVersion: boolean;
  /** Called with the rows that were not deleted because another user has changed them. */
  readonly onDeleted: (changed: readonly KnownRow[]) => void;
  readonly onClose: () => void;
}

/** Asks for confirmation and deletes rows. */
export function DeleteRows(props: DeleteRowsProps): ReactNode {
  const { datagridId, rows, isAnyVersion, onDeleted, onClose } = props;
  const count = rows.length === 1 ? 'this row' : `${rows.length} rows`;
  const were = rows.length === 1 ? 'One row was' : `${rows.length} rows were`;
  return (
    <Confirm
      title={isAnyVersion ? 'Changed in the meantime' : `Delete ${count}?`}
      message={
        isAnyVersion
          ? `${were} changed by somebody else since you saw them, and not deleted. Check them again, or delete them anyway.`
          : text.rowTrash.confirm
      }
      submitLabel={isAnyVersion ? 'Delete anyway' : 'Delete'}
      onClose={onClose}
      onConfirm={async () => {
        onDeleted(await deleteRows(datagridId, rows, isAnyVersion));
      }}
    />
  );
}
