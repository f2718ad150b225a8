import type { IHeaderParams } from 'ag-grid-community';
import { useEffect, type ReactNode } from 'react';
import { gridText } from '../../../text/grid-text';
import { useGridActions } from './grid-actions';

/** Header of the ids, which are the last column: its button, and Enter, open the form for columns. */
export function IdHeader({ eGridHeader }: IHeaderParams): ReactNode {
  const { addColumns } = useGridActions();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target !== eGridHeader || event.key !== 'Enter' || !addColumns) return;
      event.preventDefault();
      addColumns();
    };
    eGridHeader.addEventListener('keydown', onKey);
    return () => {
      eGridHeader.removeEventListener('keydown', onKey);
    };
  }, [eGridHeader, addColumns]);
  return (
    <div className="column-header">
      <span className="column-header-title">{gridText.columns.id}</span>
      {addColumns && (
        <button
          type="button"
          className="column-header-menu"
          aria-label={gridText.columns.add}
          onClick={addColumns}
        >
          +
        </button>
      )}
    </div>
  );
}
