import { Text } from '@mantine/core';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { useLeaveGuard } from '../../common/leave-guard';
import { COLUMN_TYPES, isLink } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import type { KnownRow } from '../cells/known-row';
import { LinkedChips } from '../cells/links/linked-chips';
import { editableValue, exactTitle, shownValue, withLineEndsOf } from '../cells/values/shown-value';
import { unlocalized } from '../cells/values/unlocalized';
import type { EditStore } from '../editing/unsaved/edit-store';
import { ValueField } from './value-field';

export interface CardFieldProps {
  readonly column: Column;
  readonly row: KnownRow;
  readonly edits: EditStore;
}

/** A field of a card. A choice is saved at once, and other inputs when the focus leaves the field. */
export function CardField({ column, row, edits }: CardFieldProps): ReactNode {
  const edit = edits.cell(row.id, column.key);
  const value = edit?.typed ?? editableValue(column, row.values[column.key]);
  /** What was typed since the last save. */
  const [draft, setDraft] = useState<string>();
  useLeaveGuard(draft !== undefined && draft !== value);
  const save = (typed: string | undefined): void => {
    setDraft(undefined);
    if (typed === undefined) return;
    const next = unlocalized(column, withLineEndsOf(value, typed));
    if (next !== value) edits.type(row, column.key, next);
  };
  const leave = useEffectEvent(() => {
    save(draft);
  });
  // Some browsers move no focus to a button that is tapped.
  useEffect(
    () => () => {
      leave();
    },
    [],
  );
  const isSaving = edit?.state === 'waiting' || edit?.state === 'saving';
  return (
    <div
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) save(draft);
      }}
    >
      <ValueField
        // The field of JSON has its own text.
        key={column.type === 'json' ? value : undefined}
        column={column}
        typed={draft ?? value}
        error={edit && !isSaving ? edit.message : undefined}
        isFirst={false}
        mayOpen
        onChange={(typed) => {
          if (COLUMN_TYPES[column.type].editor === 'choice' || column.type === 'link') save(typed);
          else setDraft(typed);
        }}
      />
      <Text size="xs" role="status">
        {isSaving && gridText.card.saving}
      </Text>
    </div>
  );
}

/** A value of a card for users who may not edit it. */
export function CardValue({ column, row }: Omit<CardFieldProps, 'edits'>): ReactNode {
  const text = shownValue(column, row.values[column.key]);
  return (
    <div>
      <Text size="sm" fw={600}>
        {column.title}
      </Text>
      <Text className="written-text" title={exactTitle(column, row.values[column.key])}>
        {isLink(column.type) && text !== '' ? (
          <LinkedChips column={column} typed={text} />
        ) : (
          text || '–'
        )}
      </Text>
    </div>
  );
}
