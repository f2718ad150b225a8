import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import { useGridActions } from '../table/grid-actions';
import { canGroupBy } from './group';

/** Items of a column's menu that group the rows by its values, and color them by its choices. */
export function GroupItems({ column }: { readonly column: Column }): ReactNode {
  const { view, show } = useGridActions();
  const isGroup = view.groupBy === column.key;
  const isColor = view.colorBy === column.key;
  return (
    <>
      {(isGroup || canGroupBy(column)) && (
        <Menu.Item
          onClick={() => {
            show({ ...view, groupBy: isGroup ? null : column.key, group: undefined });
          }}
        >
          {isGroup ? gridText.groups.ungroup : gridText.groups.groupBy}
        </Menu.Item>
      )}
      {column.type === 'select' && (
        <Menu.Item
          onClick={() => {
            show({ ...view, colorBy: isColor ? null : column.key });
          }}
        >
          {isColor ? gridText.groups.uncolor : gridText.groups.colorBy}
        </Menu.Item>
      )}
    </>
  );
}
