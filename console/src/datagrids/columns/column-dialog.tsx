import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { AttemptKey } from '../../api/attempt-key';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { quoted } from '../../text/words';
import { datagridsText } from '../../text/datagrids-text';
import type { Column, Datagrid } from '../datagrid';
import {
  addColumn,
  changeColumn,
  changedBody,
  isCheckedAgainstRows,
  newColumnBody,
  previewChange,
} from './column-change';
import {
  DRAFT_FIELDS,
  draftProblems,
  draftOf,
  EMPTY_DRAFT,
  type ColumnDraft,
} from './column-draft';
import { ColumnFields } from './column-fields';
import { Preview } from './preview';

const t = datagridsText.column;

export interface ColumnDialogProps {
  readonly datagrid: Datagrid;
  /** The column to change, or undefined for a new one. */
  readonly column?: Column;
  readonly onClose: () => void;
}

/** Fields that show their own errors. */
const NAMED_FIELDS = [...DRAFT_FIELDS, 'options.onDelete', 'releaseKeys', 'defaultValue'];

/** Adds or changes a column. Shows what a change does with the rows before it saves it. */
export function ColumnDialog({ datagrid, column, onClose }: ColumnDialogProps): ReactNode {
  const [draft, setDraft] = useState(() => (column ? draftOf(column) : EMPTY_DRAFT));
  const [attempt] = useState(() => new AttemptKey());
  const body = column ? changedBody(column, draft) : newColumnBody(draft);
  const mustPreview =
    column !== undefined && datagrid.rowCount > 0 && isCheckedAgainstRows(body, column);
  const preview = useMutation({
    mutationFn: () => previewChange(datagrid.id, column?.key ?? draft.key, body),
  });
  const save = useMutation({
    mutationFn: () =>
      column
        ? changeColumn(datagrid.id, column.key, body)
        : attempt.use(JSON.stringify(body), (key) => addColumn(datagrid.id, body, key)),
    onSuccess: onClose,
  });
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The preview and the buttons below it may be out of view.
    if (preview.data) shown.current?.closest('form')?.scrollIntoView({ block: 'end' });
  }, [preview.data]);
  const isSeen = !mustPreview || preview.data?.conflicting === 0;
  const error = save.error ?? preview.error;
  const { fields, rest } = formErrors(error, NAMED_FIELDS);
  const problems = draftProblems(draft);
  /** Attempts to send input that cannot be sent. Each moves the focus to the field. */
  const [tried, setTried] = useState<object>();
  return (
    <Dialog
      title={column ? t.changeTitle(quoted(column.title)) : t.newTitle}
      isOpen
      hasInput={column ? Object.keys(body).length > 0 : draft !== EMPTY_DRAFT}
      onClose={onClose}
    >
      <Form
        submitLabel={submitLabel(
          column !== undefined,
          isSeen,
          preview.data?.conversion !== undefined,
        )}
        isPending={preview.isPending || save.isPending}
        isDangerous={isSeen && (preview.data?.conversion?.emptied ?? 0) > 0}
        error={error ?? (Object.keys(problems).length > 0 ? tried : undefined)}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          if (Object.keys(problems).length > 0) setTried({});
          else if (!isSeen) preview.mutate();
          else if (Object.keys(body).length === 0) onClose();
          else save.mutate();
        }}
      >
        <ColumnFields
          draft={draft}
          home={datagrid}
          column={column}
          errors={tried ? { ...fields, ...problems } : fields}
          onChange={(next: ColumnDraft) => {
            setDraft(next);
            preview.reset();
            save.reset();
          }}
        />
        <div ref={shown}>{preview.data && <Preview preview={preview.data} />}</div>
      </Form>
    </Dialog>
  );
}

function submitLabel(isChange: boolean, isSeen: boolean, isConverting: boolean): string {
  if (!isSeen) return t.preview;
  if (!isChange) return t.add;
  return isConverting ? t.convert : t.change;
}
