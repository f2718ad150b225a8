import { useSyncExternalStore, type ReactNode } from 'react';
import { gridText } from '../../../text/grid-text';
import { boxOf, columnsIn, rowsIn } from './cell-range';
import type { RangeSelection } from './range-selection';

/** Says how many cells are selected or were copied, also to screen readers. */
export function RangeStatus({ selection }: { readonly selection: RangeSelection }): ReactNode {
  const range = useSyncExternalStore(selection.subscribe, selection.current);
  const isCopied = useSyncExternalStore(selection.subscribe, selection.isCopied);
  const box = range && boxOf(range);
  const isOne = !box || (rowsIn(box) === 1 && columnsIn(box) === 1);
  return (
    <div role="status" className="range-status" data-empty={isOne && !isCopied}>
      {box && isCopied && gridText.table.copied(rowsIn(box), columnsIn(box))}
      {!isOne && !isCopied && gridText.table.selected(rowsIn(box), columnsIn(box))}
    </div>
  );
}
