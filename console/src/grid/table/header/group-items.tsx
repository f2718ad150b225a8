import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { isTime } from '../../../common/shown-time';
import { Submenu } from '../../../common/submenu';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { canGroupBy } from '../../query/groups/group';
import { DATE_BUCKETS, type DateBucket } from '../../query/groups/period';
import { useGridActions } from './grid-actions';

/** Items of a column's menu that group the rows by its values, and color them by its choices. */
export function GroupItems({ column }: { readonly column: Column }): ReactNode {
  const { view, show } = useGridActions();
  const isGroup = view.groupBy === column.key;
  const isColor = view.colorBy === column.key;
  const groupBy = (key: string | null, groupBucket: DateBucket | null): void => {
    show({ ...view, groupBy: key, groupBucket, group: undefined });
  };
  return (
    <>
      {isGroup && (
        <Menu.Item
          onClick={() => {
            groupBy(null, null);
          }}
        >
          {gridText.groups.ungroup}
        </Menu.Item>
      )}
      {!isGroup && canGroupBy(column) && (
        <Menu.Item
          onClick={() => {
            groupBy(column.key, null);
          }}
        >
          {gridText.groups.groupBy}
        </Menu.Item>
      )}
      {isTime(column.type) && (
        <Submenu
          label={gridText.groups.groupBy}
          choices={DATE_BUCKETS}
          labels={gridText.groups.periods}
          current={isGroup ? view.groupBucket : null}
          onChoose={(bucket) => {
            groupBy(column.key, bucket);
          }}
        />
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
