import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Parts } from '../common/parts';
import { linksText } from '../text/links-text';
import { datagridQuery } from './datagrid-calls';
import { DatagridLink } from './datagrid-link';
import { linkConflict, type LinkConflict, type RestrictingLink } from './link-errors';

const t = linksText.errors;

/** Returns which links prevented an action, and what to do; undefined for other errors. */
export function linkProblem(error: unknown): ReactNode {
  const conflict = linkConflict(error);
  return conflict && <LinkProblem conflict={conflict} />;
}

function LinkProblem({ conflict }: { readonly conflict: LinkConflict }): ReactNode {
  if (conflict.kind === 'rows') {
    const { links } = conflict;
    return (
      <Stack gap="xs">
        <Text size="sm">{t.restricted(links.length)}</Text>
        <ul className="plain-list">
          {links.map((link) => (
            <li key={`${link.datagridId} ${link.rowId} ${link.column} ${link.target}`}>
              <RowWithLink link={link} />
            </li>
          ))}
        </ul>
        <Text size="sm">{t.advice}</Text>
      </Stack>
    );
  }
  return <DatagridWithLink conflict={conflict} />;
}

function RowWithLink({ link }: { readonly link: RestrictingLink }): ReactNode {
  const { rowId, datagridId, column, target } = link;
  const title = useColumnTitle(datagridId, column);
  const row = <DatagridLink id={datagridId} rowId={rowId} textOf={(name) => t.row(rowId, name)} />;
  if (column === undefined) return <Parts of={t.trashed(rowId, datagridId, target)} />;
  return <Parts of={t.link(row, target, title)} />;
}

function DatagridWithLink({
  conflict: { kind, column, datagridId },
}: {
  readonly conflict: Exclude<LinkConflict, { kind: 'rows' }>;
}): ReactNode {
  const title = useColumnTitle(datagridId, column);
  // A datagrid in the trash cannot be read.
  if (kind === 'trashed') return <Parts of={t.restore(column, datagridId)} />;
  return <Parts of={t.datagrid(title, <DatagridLink id={datagridId} />)} />;
}

/** Returns the title of a column; its key until that is loaded. */
function useColumnTitle(datagridId: string, key = ''): string {
  const { data } = useQuery(datagridQuery(datagridId));
  return data?.columns.find((column) => column.key === key)?.title ?? key;
}
