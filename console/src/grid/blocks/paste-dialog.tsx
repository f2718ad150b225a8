import { Button, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { gridText } from '../../text/grid-text';
import type { Plan } from './paste-plan';

const t = gridText.paste;

export interface PasteDialogProps {
  readonly plan: Plan;
  readonly onApply: () => void;
  readonly onClose: () => void;
}

const MAX_LISTED = 50;

/** Shows which values do not fit and why, before anything is written. */
export function PasteDialog({ plan, onApply, onClose }: PasteDialogProps): ReactNode {
  const { problems, changes } = plan;
  const listed = problems.slice(0, MAX_LISTED);
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
              {listed.map(({ row, title, text, message }, index) => (
                <Table.Tr key={index}>
                  <Table.Td>{row.toLocaleString()}</Table.Td>
                  <Table.Td>{title}</Table.Td>
                  <Table.Td className="written-text">{text}</Table.Td>
                  <Table.Td>{message}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {problems.length > listed.length && (
          <Text size="sm">{t.more(problems.length - listed.length)}</Text>
        )}
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
