import { useSyncExternalStore, type ReactNode } from 'react';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import type { LiveRows } from './live-rows';
import { useAuthorName } from './use-author-name';

export interface LiveMarkProps {
  readonly live: LiveRows;
  readonly columns: readonly Column[];
}

/** Says for some seconds who has changed the cells that flash. */
export function LiveMark({ live, columns }: LiveMarkProps): ReactNode {
  const shown = useSyncExternalStore(live.subscribe, live.lastShown);
  const nameOf = useAuthorName(shown !== undefined);
  return (
    <div role="status" className="live-mark" data-empty={shown === undefined}>
      {shown && (
        <>
          {nameOf(shown.by) ?? gridText.live.somebody}{' '}
          {shown.rows > 1
            ? gridText.live.rows(shown.rows.toLocaleString())
            : gridText.live.cells(titlesOf(shown.keys, columns), shown.rowId)}
        </>
      )}
    </div>
  );
}

const MAX_TITLES = 3;

/** Returns the titles of the columns, at most three. */
function titlesOf(keys: readonly string[], columns: readonly Column[]): string {
  const titles = columns.filter(({ key }) => keys.includes(key)).map(({ title }) => title);
  const others = titles.length - MAX_TITLES;
  const listed = titles.slice(0, MAX_TITLES).join(', ');
  return others > 0 ? gridText.live.andOthers(listed, others) : listed;
}
