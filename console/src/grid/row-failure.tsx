import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isApiError } from '../api/api-error';
import { Problem } from '../common/problem';
import type { Column } from '../datagrids/datagrid';
import { gridText } from '../text/grid-text';

const t = gridText.failure;

export interface RowFailureProps {
  readonly error: unknown;
  readonly columns: readonly Column[];
  readonly onRetry: () => void;
}

/** Shows the reason why rows could not be loaded, and a solution. */
export function RowFailure({ error, columns, onRetry }: RowFailureProps): ReactNode {
  const slow = columnsToIndex(error, columns);
  return (
    <>
      <Problem error={error} title={slow.length > 0 ? t.slow : t.title} onRetry={onRetry} />
      {slow.length > 0 && (
        <Text size="sm" my="xs">
          {t.slowHint(slow)}
        </Text>
      )}
    </>
  );
}

/** Returns the columns whose missing index made a query too slow; none for other failures. */
function columnsToIndex(error: unknown, columns: readonly Column[]): readonly string[] {
  if (!isApiError(error, 'query_too_expensive')) return [];
  const keys = new Set(error.details.map(({ field }) => field));
  return columns.filter(({ key }) => keys.has(key)).map(({ title }) => title);
}
