import type { ReactNode } from 'react';
import { Confirm } from '../common/confirm';
import { quoted } from '../text/words';
import { text } from '../text/text';
import type { Datagrid } from './datagrid';
import { deleteDatagrid } from './datagrid-calls';
import { linkProblem } from './link-problem';

const t = text.deleteDatagrid;

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
      title={t.title(quoted(name))}
      message={t.hint(rowCount)}
      submitLabel={t.submit}
      problemOf={linkProblem}
      onClose={onClose}
      onConfirm={async () => {
        await deleteDatagrid(id);
        onDeleted?.();
      }}
    />
  );
}
