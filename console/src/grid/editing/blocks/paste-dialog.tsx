import { Button, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../../common/dialog';
import { gridText } from '../../../text/grid-text';
import { groupsOf, type Plan } from './paste-plan';

const t = gridText.paste;

export interface PasteDialogProps {
  readonly plan: Plan;
  readonly onApply: () => void;
  readonly onClose: () => void;
}

const MAX_LISTED = 50;

/** Maximum number of rows and values that are named for one reason. */
const MAX_NAMED = 3;

/** Shows which values do not fit and why, before anything is written. */
export function PasteDialog({ plan, onApply, onClose }: PasteDialogProps): ReactNode {
  const { problems, changes } = plan;
  const groups = groupsOf(problems);
  const listed = groups.slice(0, MAX_LISTED);
  const left = groups.slice(MAX_LISTED).reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <Dialog title={t.title(problems.length)} isOpen onClose={onClose}>
      <Stack gap="sm">
        <Text>{t.hint}</Text>
        <Table.ScrollContainer minWidth={400} mah={320}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.row}</Table.Th>
                <Table.Th>{t.column}</Table.Th>
                <Table.Th>{t.value}</Table.Th>
                <Table.Th>{t.problem}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {listed.map(({ rows, title, texts, message }) => (
                <Table.Tr key={`${title} ${message}`}>
                  <Table.Td>
                    {t.rows(rows.length, named(rows.map((row) => row.toLocaleString())))}
                  </Table.Td>
                  <Table.Td>{title}</Table.Td>
                  <Table.Td className="written-text">{named(texts)}</Table.Td>
                  <Table.Td>{message}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {left > 0 && <Text size="sm">{t.more(left)}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.cancel}
          </Button>
          <Button disabled={changes.length === 0} onClick={onApply}>
            {t.apply}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Lists the first of several texts. */
function named(texts: readonly string[]): string {
  return t.listed(texts.slice(0, MAX_NAMED), texts.length > MAX_NAMED);
}
