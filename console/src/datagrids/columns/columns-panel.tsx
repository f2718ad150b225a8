import { Button, Drawer, Group, Stack } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useFocusReturn } from '../../common/use-focus-return';
import { mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';
import { datagridsText } from '../../text/datagrids-text';
import type { Column, Datagrid } from '../datagrid';
import { ColumnDialog } from './column-dialog';
import { ColumnLine } from './column-line';
import { RemoveColumn } from './remove-column';

const t = datagridsText.columns;

export interface ColumnsPanelProps {
  readonly datagrid: Datagrid;
  /** @param id Id of the column in the trash. */
  readonly onRemoved: (id: number, column: Column) => void;
  readonly onClose: () => void;
}

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'change' | 'remove'; readonly column: Column; readonly at: number };

/** Lists the columns of a datagrid with their actions. */
export function ColumnsPanel({ datagrid, onRemoved, onClose }: ColumnsPanelProps): ReactNode {
  const mayChange = mayWriteSchema(useSession().user.role);
  const [open, setOpen] = useState<Open>();
  useFocusReturn(true);
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  /** The focus returns to the line of the column, or to the one that has taken its place. */
  const close = (): void => {
    const at = open && open.kind !== 'new' ? open.at : undefined;
    setOpen(undefined);
    setTimeout(() => {
      const lines = list.current?.querySelectorAll<HTMLElement>('.column-toggle');
      const line = at === undefined ? undefined : lines?.[Math.min(at, lines.length - 1)];
      (line ?? add.current)?.focus();
    });
  };
  return (
    <>
      <Drawer
        opened
        onClose={onClose}
        // Escape closes the dialog above it first.
        closeOnEscape={!open}
        title={datagridsText.columns.settings}
        position="right"
        size="lg"
        returnFocus={false}
      >
        <Stack>
          {mayChange && (
            <Group>
              <Button
                ref={add}
                onClick={() => {
                  setOpen({ kind: 'new' });
                }}
              >
                {t.add}
              </Button>
            </Group>
          )}
          {datagrid.columns.length > 0 && (
            <ul className="plain-list column-list" ref={list}>
              {datagrid.columns.map((column, at) => (
                <ColumnLine
                  key={column.key}
                  column={column}
                  mayChange={mayChange}
                  onChange={() => {
                    setOpen({ kind: 'change', column, at });
                  }}
                  onRemove={() => {
                    setOpen({ kind: 'remove', column, at });
                  }}
                />
              ))}
            </ul>
          )}
        </Stack>
      </Drawer>
      {open?.kind === 'new' && <ColumnDialog datagrid={datagrid} onClose={close} />}
      {open?.kind === 'change' && (
        <ColumnDialog datagrid={datagrid} column={open.column} onClose={close} />
      )}
      {open?.kind === 'remove' && (
        <RemoveColumn
          datagrid={datagrid}
          column={open.column}
          onRemoved={onRemoved}
          onClose={close}
        />
      )}
    </>
  );
}
