import { Alert, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChangePreview } from './column-change';

/** Shows the rows that conflict with a change of a column. */
export function Preview({ preview }: { readonly preview: ChangePreview }): ReactNode {
  const { rows, checked, conflicting, examples } = preview;
  if (conflicting === 0) {
    return (
      <Alert color="green" role="status">
        {checked < rows
          ? `None of the first ${checked.toLocaleString()} of ${rows.toLocaleString()} rows conflicts with the change. The others are checked when you save it.`
          : `No row conflicts with the change. All ${rows.toLocaleString()} rows keep their values.`}
      </Alert>
    );
  }
  const conflicts =
    conflicting === 1 ? '1 row conflicts' : `${conflicting.toLocaleString()} rows conflict`;
  return (
    <Alert color="red" role="alert">
      <Text size="sm">
        {conflicts} with the change. Edit or delete these rows first: values are never converted.
      </Text>
      <List size="sm" mt="xs">
        {examples.map(({ rowId, value }) => (
          <List.Item key={rowId} className="written-text">
            Row {rowId}:{' '}
            {value === null || value === undefined ? 'no value' : JSON.stringify(value)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
