import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { datagridAddress } from '../../../datagrids/datagrid-link';
import type { Column } from '../../../datagrids/datagrid';
import '../choices/choice-color.css';
import './link-chips.css';
import { useLinkTitles } from './link-context';
import { linkedIds } from './linked-ids';

/** The linked rows of a value as chips, each a link to its row. */
export function LinkedChips({
  column,
  typed,
}: {
  readonly column: Column;
  readonly typed: string;
}): ReactNode {
  const titles = useLinkTitles();
  const { datagridId } = column.options;
  const ids = linkedIds(column, typed);
  if (datagridId === undefined) return typed;
  return (
    <span className="link-chips">
      {ids.map((id) => (
        <span key={id} className="cell-chip link-chip">
          <Link className="link-chip-text" to={datagridAddress(datagridId, id)}>
            {titles.titleOf(datagridId, id) ?? id}
          </Link>
        </span>
      ))}
    </span>
  );
}
