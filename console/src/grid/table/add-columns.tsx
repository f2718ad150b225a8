import { Popover } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { GridApi } from 'ag-grid-community';
import { useEffect, useState, type ReactNode } from 'react';
import { AttemptKey } from '../../api/attempt-key';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { IN_MAIN } from '../../common/in-main';
import {
  addColumn,
  EMPTY_DRAFT,
  newColumnBody,
  type ColumnDraft,
} from '../../datagrids/columns/column-change';
import { ShortColumnFields } from '../../datagrids/columns/short-column-fields';
import { gridText } from '../../text/grid-text';
import type { KnownRow } from '../edits/row-edit';
import { ID_COLUMN_ID } from './column-ids';

export interface AddColumnsProps {
  readonly datagridId: string;
  /** Number of columns that the datagrid has. */
  readonly count: number;
  readonly api: GridApi<KnownRow> | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * A short form that stays open for the next column. It is not part of the header, which the grid
 * removes once new columns have moved it out of view.
 */
export function AddColumns(props: AddColumnsProps): ReactNode {
  const { datagridId, count, api, isOpen, onClose } = props;
  useEffect(() => {
    // A new column is beside the ids.
    if (isOpen) api?.ensureColumnVisible(ID_COLUMN_ID);
  }, [isOpen, count, api]);
  const close = (): void => {
    onClose();
    api?.ensureColumnVisible(ID_COLUMN_ID);
    api?.setFocusedHeader(ID_COLUMN_ID);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={(isNowOpen) => {
        if (!isNowOpen) close();
      }}
      position="bottom-end"
      width={280}
      trapFocus
      // The target is not a button.
      withRoles={false}
      portalProps={IN_MAIN}
    >
      <Popover.Target>
        <span className="add-columns-place" />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={gridText.columns.add}>
        <AddForm datagridId={datagridId} onClose={close} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface AddFormProps {
  readonly datagridId: string;
  readonly onClose: () => void;
}

function AddForm({ datagridId, onClose }: AddFormProps): ReactNode {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [attempt, setAttempt] = useState(() => new AttemptKey());
  /** Number of added columns. A new form starts with the focus on its title. */
  const [added, setAdded] = useState(0);
  const body = newColumnBody(draft);
  const save = useMutation({
    mutationFn: () => attempt.use(JSON.stringify(body), (key) => addColumn(datagridId, body, key)),
    onSuccess: () => {
      setDraft({ ...EMPTY_DRAFT, type: draft.type });
      setAttempt(new AttemptKey());
      setAdded(added + 1);
    },
  });
  const { fields, rest } = formErrors(save.error, ['key', 'title', 'type', 'options.choices']);
  return (
    <Form
      submitLabel={gridText.columns.addOne}
      cancelLabel={gridText.columns.done}
      isPending={save.isPending}
      error={save.error}
      problem={rest}
      onCancel={onClose}
      onSubmit={() => {
        save.mutate();
      }}
    >
      <ShortColumnFields
        key={added}
        draft={draft}
        errors={fields}
        onChange={(next: ColumnDraft) => {
          setDraft(next);
          save.reset();
        }}
      />
    </Form>
  );
}
