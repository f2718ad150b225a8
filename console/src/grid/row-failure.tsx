import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isApiError } from '../api/api-error';
import { Problem } from '../common/problem';
import type { Column } from '../datagrids/datagrid';

export interface RowFailureProps {
  readonly error: unknown;
  readonly columns: readonly Column[];
  readonly onRetry: () => void;
}

/** Why rows are missing on the screen, and what would help. */
export function RowFailure({ error, columns, onRetry }: RowFailureProps): ReactNode {
  const slow = columnsToIndex(error, columns);
  return (
    <>
      <Problem
        error={error}
        title={slow.length > 0 ? 'This takes too long' : 'The rows cannot be shown'}
        onRetry={onRetry}
      />
      {slow.length > 0 && (
        <Text size="sm" my="xs">
          An index would make it quick: mark {slow.join(' and ')} as indexed among the columns.
        </Text>
      )}
    </>
  );
}

/** Titles of the columns whose missing index made a query too slow; none for other failures. */
function columnsToIndex(error: unknown, columns: readonly Column[]): readonly string[] {
  if (!isApiError(error, 'query_too_expensive')) return [];
  const keys = new Set(error.details.map(({ field }) => field));
  return columns.filter(({ key }) => keys.has(key)).map(({ title }) => title);
}
