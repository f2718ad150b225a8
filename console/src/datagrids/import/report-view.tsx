import { Alert, Button, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { download } from '../download';
import { rejectedCsv, type ImportReport } from './import-report';

/** Maximum number of displayed lines. The file contains all reported ones. */
const SHOWN = 100;

export interface ReportViewProps {
  readonly report: ImportReport;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

/** Shows the outcome of an import. */
export function ReportView({ report, onAnother, onClose }: ReportViewProps): ReactNode {
  const { state, failure, errors, rejected, createdColumns, nextLine } = report;
  const isDone = state === 'completed';
  const isWhole = isDone && rejected === 0;
  return (
    <Stack>
      <Alert
        color={isWhole ? 'green' : isDone ? 'yellow' : 'red'}
        role={isWhole ? 'status' : 'alert'}
        title={titleOf(report)}
      >
        <Text size="sm">{countsOf(report)}</Text>
        {createdColumns.length > 0 && (
          <Text size="sm">New columns: {createdColumns.join(', ')}.</Text>
        )}
        {failure && <Text size="sm">{failure.message}</Text>}
        {!isDone && nextLine !== null && nextLine > 1 && (
          <Text size="sm">
            All lines before line {nextLine.toLocaleString()} are processed. To continue, import the
            rest of the file, from that line on, with its header.
          </Text>
        )}
      </Alert>
      {errors.length > 0 && (
        <>
          <Group justify="space-between">
            <Text size="sm">
              {rejected.toLocaleString()} {rejected === 1 ? 'line was' : 'lines were'} rejected
              {rejected > SHOWN && `; the first ${SHOWN} of them:`}
            </Text>
            <Button
              variant="default"
              size="xs"
              onClick={() => {
                download('rejected-lines.csv', 'text/csv', rejectedCsv(errors));
              }}
            >
              Download the rejected lines
            </Button>
          </Group>
          <ScrollArea mah={300} tabIndex={0} role="group" aria-label="Rejected lines">
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Line</Table.Th>
                  <Table.Th scope="col">Column</Table.Th>
                  <Table.Th scope="col">Reason</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {errors.slice(0, SHOWN).flatMap(({ line, details }) =>
                  details.map(({ field, message }) => (
                    <Table.Tr key={`${line} ${field} ${message}`}>
                      <Table.Td>{line}</Table.Td>
                      <Table.Td>{field}</Table.Td>
                      <Table.Td>{message}</Table.Td>
                    </Table.Tr>
                  )),
                )}
              </Table.Tbody>
            </Table>
          </ScrollArea>
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onAnother}>
          Another file
        </Button>
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  );
}

function titleOf({ state, rejected, rowsRead, committedRows }: ImportReport): string {
  if (state !== 'completed') return 'The import was stopped early';
  if (rejected === 0) return 'The import is complete';
  if (committedRows === 0) return 'Nothing was imported: all lines were rejected';
  const [failed, all] = [rejected.toLocaleString(), rowsRead.toLocaleString()];
  return `Imported with errors: ${failed} of ${all} lines rejected`;
}

function countsOf({ rowsRead, created, updated, unchanged, rejected }: ImportReport): string {
  const parts = [
    [rowsRead, 'read'],
    [created, 'created'],
    [updated, 'changed'],
    [unchanged, 'unchanged'],
    [rejected, 'rejected'],
  ] as const;
  const named = parts.filter(([count], at) => at < 2 || count > 0);
  return `Rows: ${named.map(([count, what]) => `${count.toLocaleString()} ${what}`).join(', ')}.`;
}
