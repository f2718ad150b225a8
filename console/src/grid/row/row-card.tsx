import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { GridApi } from 'ag-grid-community';
import { useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { useFocusReturn } from '../../common/use-focus-return';
import { usePhone } from '../../common/use-phone';
import { isReadOnly } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import type { KnownRow } from '../cells/known-row';
import type { EditStore } from '../editing/unsaved/edit-store';
import { CardField, CardValue } from './card-field';
import { useRowAt } from './use-row-at';

export interface RowCardProps {
  readonly api: GridApi<KnownRow>;
  /** Index of the row in the current order, from 0. */
  readonly index: number;
  /** All columns in the order of display. */
  readonly columns: readonly Column[];
  readonly edits: EditStore;
  readonly mayEdit: boolean;
  readonly onMove: (index: number) => void;
  readonly onClose: () => void;
}

/** One row with all fields. It fills the screen of a phone. */
export function RowCard(props: RowCardProps): ReactNode {
  const { api, index, columns, edits, mayEdit, onMove, onClose } = props;
  const row = useRowAt(api, index);
  const total = api.getDisplayedRowCount();
  useSyncExternalStore(edits.subscribe, edits.all);
  const isPhone = usePhone();
  useFocusReturn(true);
  useEffect(() => {
    // Loads the row.
    api.ensureIndexVisible(index);
  }, [api, index]);
  return (
    <Modal
      opened
      fullScreen={isPhone}
      size="lg"
      centered
      returnFocus={false}
      title={gridText.card.title(index + 1)}
      onClose={onClose}
    >
      <Stack gap="sm" key={row?.id} aria-busy={!row}>
        {!row && <Text role="status">{gridText.card.loading}</Text>}
        {row && <Text size="sm">{gridText.card.id(row.id)}</Text>}
        {row &&
          columns.map((column) =>
            mayEdit && !isReadOnly(column.type) ? (
              <CardField key={column.key} column={column} row={row} edits={edits} />
            ) : (
              <CardValue key={column.key} column={column} row={row} />
            ),
          )}
      </Stack>
      <Group justify="space-between" className="row-card-foot">
        <Button
          variant="default"
          disabled={index <= 0}
          onClick={() => {
            onMove(index - 1);
          }}
        >
          {gridText.card.previous}
        </Button>
        <Text size="sm">{gridText.card.place(index + 1, total)}</Text>
        <Button
          variant="default"
          disabled={index >= total - 1}
          onClick={() => {
            onMove(index + 1);
          }}
        >
          {gridText.card.next}
        </Button>
      </Group>
    </Modal>
  );
}
