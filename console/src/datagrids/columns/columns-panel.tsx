import { Badge, Button, Drawer, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { countOf } from '../../common/count-of';
import { Confirm } from '../../common/confirm';
import { CopyButton } from '../../common/copy-button';
import { quoted } from '../../common/quoted';
import { useFocusReturn } from '../../common/use-focus-return';
import { mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';
import { text } from '../../text/text';
import type { Column, Datagrid } from '../datagrid';
import { removeColumn } from './column-change';
import { ColumnDialog } from './column-dialog';

export interface ColumnsPanelProps {
  readonly datagrid: Datagrid;
  readonly onClose: () => void;
}

type Open =
  { readonly kind: 'new' } | { readonly kind: 'change' | 'remove'; readonly column: Column };

/** Lists the columns of a datagrid with their actions. */
export function ColumnsPanel({ datagrid, onClose }: ColumnsPanelProps): ReactNode {
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
        title={text.columns.settings}
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
                Add a column
              </Button>
            </Group>
          )}
          <Stack component="ul" className="plain-list" gap="sm">
            {datagrid.columns.map((column) => (
              <Paper component="li" withBorder p="sm" key={column.key}>
                <ColumnFacts column={column} />
                <Group gap="xs" mt="xs">
                  <CopyButton text={column.key} label="Copy key" />
                  {mayChange && (
                    <>
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Change ${column.title}`}
                        onClick={() => {
                          setOpen({ kind: 'change', column });
                        }}
                      >
                        Change
                      </Button>
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Remove ${column.title}`}
                        onClick={() => {
                          setOpen({ kind: 'remove', column });
                        }}
                      >
                        Remove
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
        <Confirm
          title={`Remove ${quoted(open.column.title)}?`}
          message={`All values of ${open.column.key} are deleted at once, in ${countOf(datagrid.rowCount, 'row')}. This cannot be undone.`}
          submitLabel="Remove the column"
          onClose={close}
          onConfirm={() => removeColumn(datagrid.id, open.column.key)}
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
        {required && <Badge variant="default">required</Badge>}
        {unique && <Badge variant="default">unique</Badge>}
        {indexed && <Badge variant="default">indexed</Badge>}
      </Group>
      <Text size="sm" c="dimmed" className="written-text">
        {key}: {type}
        {options.choices &&
          ` (${options.choices.slice(0, 8).join(', ')}${options.choices.length > 8 ? ', …' : ''})`}
      </Text>
      {indexing && (
        <Group gap="xs" wrap="nowrap" mt={4}>
          <Progress value={percent} aria-label={`Index of ${title}`} flex={1} />
          <Text size="xs">Building the index: {percent} %</Text>
        </Group>
      )}
    </>
  );
}
