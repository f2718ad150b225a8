import { notifications } from '@mantine/notifications';
import { useCallback, useRef, useState } from 'react';
import type { AttemptKey } from '../../../api/attempt-key';
import { formErrors } from '../../../common/field-errors';
import { useLeaveGuard } from '../../../common/leave-guard';
import { addColumn, newColumnBody } from '../../../datagrids/columns/column-change';
import { DRAFT_FIELDS, type ColumnDraft } from '../../../datagrids/columns/column-draft';
import { gridText } from '../../../text/grid-text';

/** A column as the form sends it. */
export interface TypedColumn {
  readonly draft: ColumnDraft;
  /** Stays the same if the column is sent again. */
  readonly attempt: AttemptKey;
}

/** A column that could not be added. */
export interface FailedColumn extends TypedColumn {
  readonly message: string;
}

export interface AddedColumns {
  /** Number of columns that are being sent or wait for others. */
  readonly pending: number;
  readonly failed: readonly FailedColumn[];
  readonly send: (column: TypedColumn) => void;
  /** Takes a column out of `failed`. */
  readonly take: (column: FailedColumn) => void;
}

/**
 * Adds columns in their order, one after another, so that the next one can be typed meanwhile. Keeps
 * those that fail, and shows a message.
 */
export function useAddedColumns(datagridId: string): AddedColumns {
  const [pending, setPending] = useState(0);
  const [failed, setFailed] = useState<readonly FailedColumn[]>([]);
  const last = useRef(Promise.resolve());
  useLeaveGuard(pending > 0);
  const send = useCallback(
    (column: TypedColumn) => {
      const body = newColumnBody(column.draft);
      const add = async (): Promise<void> => {
        try {
          await column.attempt.use(JSON.stringify(body), (key) => addColumn(datagridId, body, key));
        } catch (error) {
          const { fields, rest } = formErrors(error, DRAFT_FIELDS);
          const message = [...Object.values(fields), ...(rest ? [rest] : [])].join(' ');
          setFailed((others) => [...others, { ...column, message }]);
          const title = gridText.columns.notAdded(column.draft.title);
          notifications.show({ color: 'red', title, message });
        } finally {
          setPending((count) => count - 1);
        }
      };
      setPending((count) => count + 1);
      last.current = last.current.then(add);
    },
    [datagridId],
  );
  const take = useCallback((column: FailedColumn) => {
    setFailed((others) => others.filter((other) => other !== column));
  }, []);
  return { pending, failed, send, take };
}
