import type { IHeaderParams } from 'ag-grid-community';
import { useEffect, useRef, useSyncExternalStore, type ReactNode } from 'react';
import { gridText } from '../../../text/grid-text';
import { MAX_CHANGED_ROWS } from '../blocks/block-write';
import type { RowChecks } from './row-checks';

interface Props extends IHeaderParams {
  readonly checks: RowChecks;
}

/** Checkbox for all rows. Space toggles it while the header has the focus. */
export function CheckHeader({ api, eGridHeader, checks }: Props): ReactNode {
  const count = useSyncExternalStore(checks.subscribe, checks.current).length;
  const box = useRef<HTMLInputElement>(null);
  const rows = api.getDisplayedRowCount();
  /** Whether all rows are selected, or as many as one action can change. */
  const isAll = count > 0 && count >= Math.min(rows, MAX_CHANGED_ROWS);
  const isMixed = count > 0 && count < rows;
  useEffect(() => {
    if (box.current) box.current.indeterminate = isMixed;
  }, [isMixed]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target !== eGridHeader || event.key !== ' ') return;
      event.preventDefault();
      checks.setAll(!isAll);
    };
    eGridHeader.addEventListener('keydown', onKey);
    return () => {
      eGridHeader.removeEventListener('keydown', onKey);
    };
  }, [eGridHeader, isAll, checks]);
  return (
    <input
      ref={box}
      type="checkbox"
      tabIndex={-1}
      aria-label={gridText.checks.all}
      checked={isAll && !isMixed}
      onChange={() => {
        checks.setAll(!isAll);
      }}
    />
  );
}
