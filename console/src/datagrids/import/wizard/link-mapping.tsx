import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Parts } from '../../../common/parts';
import { linksText } from '../../../text/links-text';
import type { Column } from '../../datagrid';
import { DatagridLink } from '../../datagrid-link';

/**
 * Says which values a column of links takes from a file: ids of rows. A choice of another column of the
 * linked datagrid, by whose values rows are found, belongs here.
 */
export function LinkMapping({ column }: { readonly column: Column }): ReactNode {
  const { datagridId } = column.options;
  if (datagridId === undefined) return null;
  const link = <DatagridLink id={datagridId} />;
  const t = linksText.imports;
  return (
    <Text size="xs" mt={4}>
      <Parts of={column.type === 'link' ? t.id(link) : t.ids(link)} />
    </Text>
  );
}
