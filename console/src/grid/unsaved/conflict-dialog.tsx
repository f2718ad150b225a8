import { Button, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../common/copy-button';
import { Dialog } from '../../common/dialog';
import type { Column, JsonValue } from '../../datagrids/datagrid';
import type { RowEdit } from '../edits/row-edit';
import { shownTyped, shownValue } from '../values/shown-value';

export interface ConflictDialogProps {
  readonly row: RowEdit;
  readonly columns: readonly Column[];
  readonly onKeepMine: () => void;
  readonly onKeepTheirs: () => void;
  /** Closes the dialog without a decision. The change remains unsaved. */
  readonly onClose: () => void;
}

/** Shows both versions of a row that two users have changed, and lets the user choose. */
export function ConflictDialog(props: ConflictDialogProps): ReactNode {
  const { row, columns, onKeepMine, onKeepTheirs, onClose } = props;
  const { base, cells } = row;
  const theirs = row.theirs ?? null;
  const shown = columns.filter(
    ({ key }) => cells.has(key) || (theirs && isOther(base.values[key], theirs.values[key])),
  );
  const mine = Object.fromEntries([...cells].map(([key, { typed }]) => [key, typed]));
  const title = theirs
    ? `Somebody else changed the row with id ${base.id} in the meantime`
    : `The row with id ${base.id} was deleted in the meantime`;
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Stack>
        <Text size="sm">
          {theirs
            ? 'Your change is not saved. Choose which one stays; the other columns stay as they are now.'
            : 'Your change can no longer be saved. Copy what you typed before you discard it.'}
        </Text>
        <ScrollArea tabIndex={0} role="group" aria-label="The versions">
          <Table withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Column</Table.Th>
                <Table.Th scope="col">Before</Table.Th>
                <Table.Th scope="col">Yours</Table.Th>
                {theirs && <Table.Th scope="col">Theirs</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((column) => {
                const typed = cells.get(column.key)?.typed;
                return (
                  <Table.Tr key={column.key}>
                    <Table.Th scope="row">{column.title}</Table.Th>
                    <Version text={shownValue(column, base.values[column.key])} />
                    <Version text={typed === undefined ? null : shownTyped(column, typed)} />
                    {theirs && <Version text={shownValue(column, theirs.values[column.key])} />}
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </ScrollArea>
        <Group justify="space-between">
          <CopyButton text={JSON.stringify(mine, null, 2)} label="Copy mine" size="sm" />
          <Group>
            <Button variant="default" onClick={onClose}>
              Decide later
            </Button>
            <Button variant="default" onClick={onKeepTheirs}>
              {theirs ? 'Keep theirs' : 'Discard mine'}
            </Button>
            {theirs && <Button onClick={onKeepMine}>Keep mine</Button>}
          </Group>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** `null` for a column that the user did not edit. */
function Version({ text }: { readonly text: string | null }): ReactNode {
  if (text === null) return <Table.Td c="dimmed">not changed</Table.Td>;
  if (text === '') return <Table.Td c="dimmed">(no value)</Table.Td>;
  return <Table.Td className="written-text">{text}</Table.Td>;
}

function isOther(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);
}
