import { Alert, ScrollArea, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DANGER } from '../../../list/item-menu';
import { connectionsText } from '../../../text/connections-text';
import type { PreviewBody } from './import-draft';
import type { Preview } from './scheduled-import';

const t = connectionsText.imports.preview;

export interface PreviewTableProps {
  readonly preview: Preview;
  /** What was sent. With a datagrid, the columns were matched with its columns. */
  readonly of: PreviewBody;
}

/** The columns of a result with their types, and its first rows; or why there is none. */
export function PreviewTable({ preview, of }: PreviewTableProps): ReactNode {
  const { ok, error, columns, rows } = preview;
  return (
    <>
      {!ok && (
        <Alert color="red" title={t.rejected} role="alert">
          {error}
        </Alert>
      )}
      {columns.length > 0 && (
        <ScrollArea mah={300} tabIndex={0} role="group" aria-label={t.rows}>
          <Table withTableBorder striped>
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ name, type, key }, index) => (
                  <Table.Th key={index} scope="col">
                    {name}
                    <Text size="xs" c="dimmed" fw={400}>
                      {type}
                      {key !== null && key !== name && `, ${t.forColumn(key)}`}
                      {key === null && of.datagridId !== undefined && (
                        <Text span inherit c={DANGER}>
                          {`, ${t.noColumn}`}
                        </Text>
                      )}
                    </Text>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row, index) => (
                <Table.Tr key={index}>
                  {row.map((value, column) => (
                    <Table.Td key={column}>{value ?? '–'}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      )}
      {ok && rows.length === 0 && <Text size="sm">{t.none}</Text>}
    </>
  );
}
