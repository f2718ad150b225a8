import { Menu } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { isTime } from '../../common/shown-time';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import { useGridActions } from '../table/grid-actions';
import { canGroupBy } from './group';
import { DATE_BUCKETS, type DateBucket } from './period';

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
        <PeriodItems
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

interface PeriodItemsProps {
  readonly current: DateBucket | null;
  readonly onChoose: (bucket: DateBucket) => void;
}

/** A submenu of the periods by which dates can be grouped. */
function PeriodItems({ current, onChoose }: PeriodItemsProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Menu.Sub opened={isOpen} onChange={setOpen} middlewares={{ flip: true, shift: true }}>
      <Menu.Sub.Target>
        <Menu.Sub.Item
          onKeyDown={openWithEnter}
          onClick={() => {
            setOpen(true);
          }}
        >
          {gridText.groups.groupBy}
        </Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown>
        {DATE_BUCKETS.map((bucket) => (
          <Menu.Item
            key={bucket}
            aria-current={bucket === current}
            fw={bucket === current ? 700 : undefined}
            onClick={() => {
              onChoose(bucket);
            }}
          >
            {gridText.groups.periods[bucket]}
          </Menu.Item>
        ))}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  );
}

/** The library opens a submenu and moves the focus into it only with the arrow key. */
function openWithEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  const arrow = new window.KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true });
  event.currentTarget.dispatchEvent(arrow);
}
