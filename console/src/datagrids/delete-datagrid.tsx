import type { ReactNode } from 'react';
import { Confirm } from '../common/confirm';
import { countOf } from '../common/count-of';
import { quoted } from '../common/quoted';
import type { Datagrid } from './datagrid';
import { deleteDatagrid } from './datagrid-calls';

export interface DeleteDatagridProps {
  readonly datagrid: Pick<Datagrid, 'id' | 'name' | 'rowCount'>;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation and deletes a datagrid. */
export function DeleteDatagrid({ datagrid, onDeleted, onClose }: DeleteDatagridProps): ReactNode {
  const { id, name, rowCount } = datagrid;
  return (
    <Confirm
      title={`Delete ${quoted(name)}?`}
      message={`It has ${countOf(rowCount, 'row')}. Programs that use it will fail. It can be restored from the trash for some days.`}
      submitLabel="Delete the datagrid"
      onClose={onClose}
      onConfirm={async () => {
        await deleteDatagrid(id);
        onDeleted?.();
      }}
    />
  );
}
