import type { ReactNode } from 'react';
import { Confirm } from '../../common/confirm';
import type { KnownRow } from '../edits/row-edit';
import { deleteRows } from './row-calls';

export interface DeleteRowsProps {
  readonly datagridId: string;
  readonly rows: readonly KnownRow[];
  /** They were changed by somebody else since they were seen, and are asked about once more. */
  readonly isAnyVersion: boolean;
  /** Gets the rows that stay, since somebody else has changed them. */
  readonly onDeleted: (kept: readonly KnownRow[]) => void;
  readonly onClose: () => void;
}

/** Asks before rows are deleted. */
export function DeleteRows(props: DeleteRowsProps): ReactNode {
  const { datagridId, rows, isAnyVersion, onDeleted, onClose } = props;
  const count = rows.length === 1 ? 'this row' : `${rows.length} rows`;
  const were = rows.length === 1 ? 'One row was' : `${rows.length} rows were`;
  return (
    <Confirm
      title={isAnyVersion ? 'Changed meanwhile' : `Delete ${count}?`}
      question={
        isAnyVersion
          ? `${were} changed by somebody else since you saw them, and not deleted. Look at them again, or delete them as they are now.`
          : 'Rows do not go to the trash: nobody can bring them back.'
      }
      submitLabel={isAnyVersion ? 'Delete anyway' : 'Delete'}
      onClose={onClose}
      onConfirm={async () => {
        onDeleted(await deleteRows(datagridId, rows, isAnyVersion));
      }}
    />
  );
}
