import { Button, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { countOf } from '../../common/count-of';
import { Dialog } from '../../common/dialog';
import type { Plan } from './paste-plan';

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
    <Dialog
      title={`${countOf(problems.length, 'value')} cannot be pasted`}
      isOpen
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text>Nothing has been pasted yet.</Text>
        <Table.ScrollContainer minWidth={400} mah={320}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Row</Table.Th>
                <Table.Th>Column</Table.Th>
                <Table.Th>Value</Table.Th>
                <Table.Th>Problem</Table.Th>
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
          <Text size="sm">And {countOf(problems.length - listed.length, 'more value')}.</Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={changes.length === 0} onClick={onApply}>
            Paste the rest
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
