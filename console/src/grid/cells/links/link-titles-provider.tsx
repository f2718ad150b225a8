import { useEffect, useState, type ReactNode } from 'react';
import type { Datagrid } from '../../../datagrids/datagrid';
import { LinkTitlesContext } from './link-context';
import { LinkTitles } from './link-titles';
import { TITLE_READER } from './read-linked';

export interface LinkTitlesProviderProps {
  readonly datagrid: Datagrid;
  readonly children: ReactNode;
}

/** Keeps the titles of the linked rows while a datagrid is on the screen. */
export function LinkTitlesProvider({ datagrid, children }: LinkTitlesProviderProps): ReactNode {
  const { columns } = datagrid;
  const [titles] = useState(() => new LinkTitles(TITLE_READER, columns));
  useEffect(() => {
    titles.setColumns(columns);
  }, [titles, columns]);
  return <LinkTitlesContext value={titles}>{children}</LinkTitlesContext>;
}
