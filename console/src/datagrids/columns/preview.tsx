import { Alert, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ChangePreview } from './column-change';

/** What a change of a column would meet. */
export function Preview({ preview }: { readonly preview: ChangePreview }): ReactNode {
  const { rows, checked, conflicting, examples } = preview;
  if (conflicting === 0) {
    return (
      <Alert color="green" role="status">
        {checked < rows
          ? `None of the first ${checked.toLocaleString()} rows, of ${rows.toLocaleString()}, stands against it. The others are looked at when the change is made.`
          : `No row stands against it: all ${rows.toLocaleString()} keep their values as they are.`}
      </Alert>
    );
  }
  const stand = conflicting === 1 ? 'One row stands' : `${conflicting.toLocaleString()} rows stand`;
  return (
    <Alert color="red" role="alert">
      <Text size="sm">
        {stand} against it, of {rows.toLocaleString()}. Change these first: values are never
        converted.
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
