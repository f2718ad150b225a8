import { Popover } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { IHeaderParams } from 'ag-grid-community';
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
import { text } from '../../text/text';
import { useGridActions } from './grid-actions';

/** Header of the ids, which are the last column: it also adds columns. */
export function IdHeader({ eGridHeader }: IHeaderParams): ReactNode {
  const { addTo } = useGridActions();
  return (
    <div className="column-header">
      <span className="column-header-title">{text.columns.id}</span>
      {addTo !== undefined && <AddColumn datagridId={addTo} header={eGridHeader} />}
    </div>
  );
}

interface AddColumnProps {
  readonly datagridId: string;
  /** The header cell. Enter on it opens the form. */
  readonly header: HTMLElement;
}

/** A button with a short form, which stays open for the next column. */
function AddColumn({ datagridId, header }: AddColumnProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.target !== header || event.key !== 'Enter') return;
      event.preventDefault();
      setOpen(true);
    };
    header.addEventListener('keydown', onKey);
    return () => {
      header.removeEventListener('keydown', onKey);
    };
  }, [header]);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={280}
      trapFocus
      returnFocus
      portalProps={IN_MAIN}
    >
      <Popover.Target>
        <button
          type="button"
          className="column-header-menu"
          aria-label={text.columns.add}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          +
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={text.columns.add}>
        <AddForm
          datagridId={datagridId}
          onClose={() => {
            setOpen(false);
          }}
        />
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
      submitLabel={text.columns.addOne}
      cancelLabel={text.columns.done}
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
