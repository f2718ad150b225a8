import { notifications } from '@mantine/notifications';
import { useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { messageOf } from '../../../api/api-error';
import { ColumnTypeIcon } from '../../../datagrids/column-type-icon';
import { changeColumn } from '../../../datagrids/columns/column-change';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';

interface Props {
  readonly column: Column;
  /** Datagrid of the column, if the user may rename the column. */
  readonly datagridId: string | undefined;
  readonly onClick: (event: MouseEvent) => void;
}

/** Title of a column. A double click edits it in place. */
export function ColumnTitle({ column, datagridId, onClick }: Props): ReactNode {
  const [isEditing, setEditing] = useState(false);
  if (isEditing && datagridId !== undefined) {
    return (
      <TitleInput
        column={column}
        datagridId={datagridId}
        onEnd={() => {
          setEditing(false);
        }}
      />
    );
  }
  return (
    <button
      type="button"
      tabIndex={-1}
      className="column-header-title"
      title={`${column.title} (${column.type})`}
      onClick={onClick}
      onDoubleClick={() => {
        setEditing(true);
      }}
    >
      <ColumnTypeIcon type={column.type} />
      <span className="column-header-text">{column.title}</span>
    </button>
  );
}

interface InputProps {
  readonly column: Column;
  readonly datagridId: string;
  readonly onEnd: () => void;
}

function TitleInput({ column, datagridId, onEnd }: InputProps): ReactNode {
  const [title, setTitle] = useState(column.title);
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState('');
  const save = async (): Promise<void> => {
    const next = title.trim();
    if (isSaving) return;
    if (next === '' || next === column.title) {
      onEnd();
      return;
    }
    setSaving(true);
    try {
      await changeColumn(datagridId, column.key, { title: next });
      onEnd();
    } catch (error) {
      setSaving(false);
      setProblem(messageOf(error));
      notifications.show({
        color: 'red',
        title: gridText.columns.notRenamed(column.title),
        message: messageOf(error),
      });
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Not for the grid.
    event.nativeEvent.stopImmediatePropagation();
    if (event.key === 'Enter') void save();
    else if (event.key === 'Escape') onEnd();
  };
  return (
    <input
      className="column-header-input"
      aria-label={gridText.columns.titleOf(column.title)}
      aria-invalid={problem !== ''}
      title={problem === '' ? undefined : problem}
      autoFocus
      readOnly={isSaving}
      maxLength={200}
      value={title}
      onFocus={({ currentTarget }) => {
        if (problem === '') currentTarget.select();
      }}
      onChange={({ currentTarget }) => {
        setTitle(currentTarget.value);
        setProblem('');
      }}
      onKeyDown={onKeyDown}
      onBlur={() => {
        // A title that was rejected stays until it is changed, saved with Enter or left with Escape.
        if (problem === '') void save();
      }}
    />
  );
}
