import type { IHeaderParams } from 'ag-grid-community';
import { useEffect, useRef, useSyncExternalStore, type ReactNode } from 'react';
import { gridText } from '../../text/grid-text';
import { MAX_CHANGED_ROWS } from '../blocks/block-write';
import type { RowChecks } from './row-checks';

interface Props extends IHeaderParams {
  readonly checks: RowChecks;
}

/** Checkbox for all rows. Space toggles it while the header has the focus. */
export function CheckHeader({ api, eGridHeader, checks }: Props): ReactNode {
  const count = useSyncExternalStore(checks.subscribe, checks.current).length;
  const box = useRef<HTMLInputElement>(null);
  const most = Math.min(api.getDisplayedRowCount(), MAX_CHANGED_ROWS);
  const isAll = count > 0 && count >= most;
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && !isAll;
  }, [count, isAll]);
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
      checked={isAll}
      onChange={() => {
        checks.setAll(!isAll);
      }}
    />
  );
}
