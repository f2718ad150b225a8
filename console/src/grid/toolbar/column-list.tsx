import { ActionIcon, Button, Checkbox, Group, Popover, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { IN_MAIN } from '../../common/in-main';
import { ColumnTypeIcon } from '../../datagrids/column-type-icon';
import type { Column } from '../../datagrids/datagrid';
import { ColumnsIcon } from '../../shell/icons';
import { gridText } from '../../text/grid-text';
import { moved, withColumn, type Layout } from '../table/columns/layout';
import { ToolButton } from './tool-button';

export interface ColumnListProps {
  readonly columns: readonly Column[];
  readonly layout: Layout;
  readonly onArrange: (layout: Layout) => void;
  readonly onReset: () => void;
}

/** List of the columns in the order of display, in which they are hidden, shown and moved. */
export function ColumnList({ columns, layout, onArrange, onReset }: ColumnListProps): ReactNode {
  const hidden = layout.filter((place) => place.hidden === true).length;
  const columnOf = (key: string): Column | undefined => columns.find((one) => one.key === key);
  const titleOf = (key: string): string => columnOf(key)?.title ?? key;
  return (
    <Popover position="bottom-start" portalProps={IN_MAIN} trapFocus returnFocus>
      <Popover.Target>
        <ToolButton icon={<ColumnsIcon />} isOn={hidden > 0} disabled={columns.length === 0}>
          {hidden === 0 ? gridText.layout.columns : gridText.layout.hiddenColumns(hidden)}
        </ToolButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={gridText.layout.label} mah="60vh" style={{ overflowY: 'auto' }}>
        <Stack gap={4}>
          {layout.map((place) => (
            <Group key={place.key} gap={4} wrap="nowrap" justify="space-between">
              <Checkbox
                size="xs"
                label={<ColumnLabel column={columnOf(place.key)} />}
                checked={place.hidden !== true}
                onChange={({ currentTarget: { checked } }) => {
                  onArrange(withColumn(layout, place.key, { hidden: !checked }));
                }}
              />
              <Group gap={0} wrap="nowrap">
                <MoveButton
                  label={gridText.layout.moveUp(titleOf(place.key))}
                  sign="↑"
                  onClick={() => {
                    onArrange(moved(layout, place.key, -1));
                  }}
                />
                <MoveButton
                  label={gridText.layout.moveDown(titleOf(place.key))}
                  sign="↓"
                  onClick={() => {
                    onArrange(moved(layout, place.key, 1));
                  }}
                />
              </Group>
            </Group>
          ))}
          <Group gap="xs" mt="xs">
            <Button
              size="compact-xs"
              variant="default"
              disabled={hidden === 0}
              onClick={() => {
                onArrange(
                  layout.reduce<Layout>(
                    (all, { key }) => withColumn(all, key, { hidden: undefined }),
                    layout,
                  ),
                );
              }}
            >
              {gridText.layout.showAll}
            </Button>
            <Button size="compact-xs" variant="default" onClick={onReset}>
              {gridText.layout.reset}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function ColumnLabel({ column }: { readonly column: Column | undefined }): ReactNode {
  return (
    column && (
      <Group component="span" gap={6} wrap="nowrap" title={`${column.title} (${column.type})`}>
        <ColumnTypeIcon type={column.type} />
        {column.title}
      </Group>
    )
  );
}

interface MoveButtonProps {
  readonly label: string;
  readonly sign: string;
  readonly onClick: () => void;
}

function MoveButton({ label, sign, onClick }: MoveButtonProps): ReactNode {
  return (
    <ActionIcon variant="subtle" size="sm" c="inherit" aria-label={label} onClick={onClick}>
      {sign}
    </ActionIcon>
  );
}
