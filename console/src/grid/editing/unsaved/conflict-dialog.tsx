import { Button, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../../../common/copy-button';
import { Dialog } from '../../../common/dialog';
import type { Column, JsonValue } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { useLinkTitles } from '../../cells/links/link-context';
import type { LinkTitles } from '../../cells/links/link-titles';
import { titledTyped, titledValue } from '../../cells/links/links-as-text';
import { exactTitle } from '../../cells/values/shown-value';
import type { RowEdit } from './row-edit';

const t = gridText.conflict;

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
  const titles = useLinkTitles();
  const title = theirs ? t.changed(base.id) : t.deleted(base.id);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Stack>
        <Text size="sm">{theirs ? t.changedHint : t.deletedHint}</Text>
        <ScrollArea tabIndex={0} role="group" aria-label={t.label}>
          <Table withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t.column}</Table.Th>
                <Table.Th scope="col">{t.before}</Table.Th>
                <Table.Th scope="col">{t.mine}</Table.Th>
                {theirs && <Table.Th scope="col">{t.theirs}</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((column) => {
                const typed = cells.get(column.key)?.typed;
                return (
                  <Table.Tr key={column.key}>
                    <Table.Th scope="row">{column.title}</Table.Th>
                    <Version {...versionOf(column, base.values[column.key], titles)} />
                    <Version
                      text={typed === undefined ? null : titledTyped(column, typed, titles)}
                      title={exactTitle(column, typed)}
                    />
                    {theirs && (
                      <Version {...versionOf(column, theirs.values[column.key], titles)} />
                    )}
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </ScrollArea>
        <Group justify="space-between">
          <CopyButton text={JSON.stringify(mine, null, 2)} label={t.copyMine} size="sm" />
          <Group>
            <Button variant="default" onClick={onClose}>
              {t.later}
            </Button>
            <Button variant="default" onClick={onKeepTheirs}>
              {theirs ? t.keepTheirs : t.discardMine}
            </Button>
            {theirs && <Button onClick={onKeepMine}>{t.keepMine}</Button>}
          </Group>
        </Group>
      </Stack>
    </Dialog>
  );
}

interface VersionProps {
  /** `null` for a column that the user did not edit. */
  readonly text: string | null;
  readonly title: string | undefined;
}

const versionOf = (
  column: Column,
  value: JsonValue | undefined,
  titles: LinkTitles,
): VersionProps => ({
  text: titledValue(column, value, titles),
  title: exactTitle(column, value),
});

function Version({ text, title }: VersionProps): ReactNode {
  if (text === null) return <Table.Td c="dimmed">{t.unchanged}</Table.Td>;
  if (text === '') return <Table.Td c="dimmed">{gridText.values.none}</Table.Td>;
  return (
    <Table.Td className="written-text" title={title}>
      {text}
    </Table.Td>
  );
}

function isOther(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);
}
