import type { ReactNode } from 'react';
import { Confirm } from '../../common/confirm';
import { quoted } from '../../text/words';
import { datagridsText } from '../../text/datagrids-text';
import { linksText } from '../../text/links-text';
import { isLink } from '../column-type';
import type { Column, Datagrid } from '../datagrid';
import { deleteColumn } from './deleted-columns';

const t = datagridsText.columns;

export interface RemoveColumnProps {
  readonly datagrid: Datagrid;
  readonly column: Column;
  /** @param id Id of the column in the trash. */
  readonly onRemoved: (id: number, column: Column) => void;
  readonly onClose: () => void;
}

/** Asks for confirmation and removes a column. */
export function RemoveColumn(props: RemoveColumnProps): ReactNode {
  const { datagrid, column, onRemoved, onClose } = props;
  const name = quoted(column.title);
  return (
    <Confirm
      title={t.removeTitle(name)}
      message={
        isLink(column.type)
          ? `${t.removeHint(name, datagrid.rowCount)} ${linksText.column.removeHint}`
          : t.removeHint(name, datagrid.rowCount)
      }
      submitLabel={t.removeNow}
      onClose={onClose}
      onConfirm={async () => {
        const id = await deleteColumn(datagrid.id, column.key);
        if (id !== undefined) onRemoved(id, column);
      }}
    />
  );
}
