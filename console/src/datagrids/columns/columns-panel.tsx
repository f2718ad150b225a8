import { Badge, Button, Drawer, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CopyButton } from '../../common/copy-button';
import { useFocusReturn } from '../../common/use-focus-return';
import { mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';
import { datagridsText } from '../../text/datagrids-text';
import type { Column, Datagrid } from '../datagrid';
import { ColumnDialog } from './column-dialog';
import { RemoveColumn } from './remove-column';

const t = datagridsText.columns;

export interface ColumnsPanelProps {
  readonly datagrid: Datagrid;
  /** @param id Id of the column in the trash. */
  readonly onRemoved: (id: number, column: Column) => void;
  readonly onClose: () => void;
}

type Open =
  { readonly kind: 'new' } | { readonly kind: 'change' | 'remove'; readonly column: Column };

/** Lists the columns of a datagrid with their actions. */
export function ColumnsPanel({ datagrid, onRemoved, onClose }: ColumnsPanelProps): ReactNode {
  const mayChange = mayWriteSchema(useSession().user.role);
  const [open, setOpen] = useState<Open>();
  useFocusReturn(true);
  const close = (): void => {
    setOpen(undefined);
  };
  return (
    <>
      <Drawer
        opened
        onClose={onClose}
        title={datagridsText.columns.settings}
        position="right"
        size="lg"
        returnFocus={false}
      >
        <Stack>
          {mayChange && (
            <Group>
              <Button
                onClick={() => {
                  setOpen({ kind: 'new' });
                }}
              >
                {t.add}
              </Button>
            </Group>
          )}
          <Stack component="ul" className="plain-list" gap="sm">
            {datagrid.columns.map((column) => (
              <Paper component="li" withBorder p="sm" key={column.key}>
                <ColumnFacts column={column} />
                <Group gap="xs" mt="xs">
                  <CopyButton text={column.key} label={t.copyKey} />
                  {mayChange && (
                    <>
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={t.changeOne(column.title)}
                        onClick={() => {
                          setOpen({ kind: 'change', column });
                        }}
                      >
                        {t.change}
                      </Button>
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={t.removeOne(column.title)}
                        onClick={() => {
                          setOpen({ kind: 'remove', column });
                        }}
                      >
                        {t.remove}
                      </Button>
                    </>
                  )}
                </Group>
              </Paper>
            ))}
          </Stack>
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

function ColumnFacts({ column }: { readonly column: Column }): ReactNode {
  const { key, title, type, required, unique, indexed, options, indexing } = column;
  const percent = Math.round((indexing?.progress ?? 0) * 100);
  return (
    <>
      <Group gap="xs">
        <Text fw={600}>{title}</Text>
        {required && <Badge variant="default">{t.isRequired}</Badge>}
        {unique && <Badge variant="default">{t.isUnique}</Badge>}
        {indexed && <Badge variant="default">{t.isIndexed}</Badge>}
      </Group>
      <Text size="sm" c="dimmed" className="written-text">
        {key}: {type}
        {options.choices &&
          ` (${options.choices.slice(0, 8).join(', ')}${options.choices.length > 8 ? ', …' : ''})`}
      </Text>
      {indexing && (
        <Group gap="xs" wrap="nowrap" mt={4}>
          <Progress value={percent} aria-label={t.indexOf(title)} flex={1} />
          <Text size="xs">{t.indexing(percent)}</Text>
        </Group>
      )}
    </>
  );
}
