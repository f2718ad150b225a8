import type { ReactNode } from 'react';
import { Confirm } from '../../common/confirm';
import { linkProblem } from '../../datagrids/link-problem';
import { gridText } from '../../text/grid-text';
import type { KnownRow } from '../cells/known-row';
import { deleteRows } from '../data/row-calls';

const t = gridText.removeRows;

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
  return (
    <Confirm
      title={isAnyVersion ? t.changedTitle : t.title(rows.length)}
      message={isAnyVersion ? t.changed(rows.length) : gridText.rowTrash.confirm(rows.length)}
      submitLabel={isAnyVersion ? t.anyway : t.submit}
      problemOf={linkProblem}
      onClose={onClose}
      onConfirm={async () => {
        onDeleted(await deleteRows(datagridId, rows, isAnyVersion));
      }}
    />
  );
}
