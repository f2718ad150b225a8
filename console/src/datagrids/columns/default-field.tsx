import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../grid/cells/values/shown-value';
import { datagridsText } from '../../text/datagrids-text';
import { COLUMN_TYPES, keyboardOf } from '../column-type';
import { type ColumnDraft, draftChoices } from './column-draft';

export interface DefaultFieldProps {
  readonly draft: ColumnDraft;
  readonly error: string | undefined;
  readonly onChange: (draft: ColumnDraft) => void;
}

/** The default value of a column, typed as in a cell. */
export function DefaultField({ draft, error, onChange }: DefaultFieldProps): ReactNode {
  const { editor, placeholder } = COLUMN_TYPES[draft.type];
  const typed = draft.defaultValue;
  const choices = draft.type === 'boolean' ? ['true', 'false'] : draftChoices(draft);
  const common = {
    label: datagridsText.column.defaultValue,
    description: datagridsText.column.defaultHint,
    error,
  };
  const change = (defaultValue: string): void => {
    onChange({ ...draft, defaultValue });
  };
  if (editor === 'choices') {
    return (
      <Checkbox.Group
        {...common}
        value={[...choicesOf(typed)]}
        onChange={(chosen) => {
          change(chosen.length === 0 ? '' : JSON.stringify(chosen));
        }}
      >
        <Group gap="sm" mt="xs">
          {choices.map((choice) => (
            <Checkbox key={choice} value={choice} label={choice} />
          ))}
        </Group>
      </Checkbox.Group>
    );
  }
  if (editor === 'choice') {
    return (
      <NativeSelect
        {...common}
        value={typed}
        data={[{ value: '', label: datagridsText.column.noDefault }, ...choices]}
        onChange={({ currentTarget: { value } }) => {
          change(value);
        }}
      />
    );
  }
  return (
    <TextInput
      {...common}
      placeholder={placeholder}
      {...keyboardOf(draft.type)}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        change(value);
      }}
    />
  );
}
