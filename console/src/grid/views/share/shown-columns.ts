import type { Column } from '../../../datagrids/datagrid';
import { storedColumns } from '../../../datagrids/stored-columns';
import { columnsNamedBy, type SavedView } from '../saved-view';

/** What a public link of a view would show. */
export interface ShownColumns {
  readonly visible: readonly Column[];
  /** Hidden columns that the filter or the sort order of the view names. */
  readonly usedHidden: readonly Column[];
  /** Whether the view searches and hides columns, which the search may find rows by. */
  readonly searchesHidden: boolean;
}

export function shownColumns(view: SavedView, columns: readonly Column[]): ShownColumns {
  const isHidden = ({ key }: Column): boolean =>
    view.columns.some((one) => one.key === key && one.hidden === true);
  const hidden = columns.filter(isHidden);
  const named = columnsNamedBy(view);
  return {
    // Computed values are not published.
    visible: storedColumns(columns).filter((column) => !isHidden(column)),
    usedHidden: hidden.filter(({ key }) => named.includes(key)),
    searchesHidden: view.q !== null && hidden.length > 0,
  };
}
