import { Button } from '@mantine/core';
import type { GridApi } from 'ag-grid-community';
import { useSyncExternalStore, type ReactNode } from 'react';
import { ClockIcon, TrashIcon } from '../../../shell/icons';
import { gridText } from '../../../text/grid-text';
import type { KnownRow } from '../../cells/known-row';
import { CHECK_COLUMN_ID } from '../../table/columns/column-ids';
import { focusLastCell } from '../../table/focus/focus-cell';
import type { RowChecks } from './row-checks';

const t = gridText.checks;

/** A dialog for the selected rows. */
type SelectionDialog =
  | { readonly kind: 'delete-rows' }
  | { readonly kind: 'history'; readonly rowId: number };

export interface SelectionBarProps {
  readonly checks: RowChecks;
  readonly api: GridApi<KnownRow>;
  readonly mayEdit: boolean;
  readonly onOpen: (dialog: SelectionDialog) => void;
}

/** Actions for the rows whose checkboxes are on, over the last rows of the grid. */
export function SelectionBar({ checks, api, mayEdit, onOpen }: SelectionBarProps): ReactNode {
  const selected = useSyncExternalStore(checks.subscribe, checks.current);
  const [only] = selected;
  if (!only) return null;
  return (
    <div className="selection-bar" role="group" aria-label={t.bar}>
      <span role="status">{t.selected(selected.length)}</span>
      {mayEdit && (
        <Button
          size="compact-sm"
          color="red"
          variant="light"
          leftSection={<TrashIcon />}
          aria-label={t.removeRows(selected.length)}
          onClick={() => {
            onOpen({ kind: 'delete-rows' });
          }}
        >
          {t.remove}
        </Button>
      )}
      {selected.length === 1 && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<ClockIcon />}
          onClick={() => {
            onOpen({ kind: 'history', rowId: only.id });
          }}
        >
          {t.history}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        c="inherit"
        aria-label={t.clearLabel}
        onClick={() => {
          checks.clear();
          if (!focusLastCell(api)) api.setFocusedHeader(CHECK_COLUMN_ID);
        }}
      >
        {t.clear}
      </Button>
    </div>
  );
}
