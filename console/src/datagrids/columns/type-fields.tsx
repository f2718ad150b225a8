import { NativeSelect, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { COLUMN_TYPE_NAMES, COLUMN_TYPES } from '../column-type';
import type { ColumnDraft } from './column-change';

export interface ColumnFieldsProps {
  readonly draft: ColumnDraft;
  readonly isNew: boolean;
  readonly errors: Readonly<Partial<Record<string, string>>>;
  readonly onChange: (draft: ColumnDraft) => void;
}

/** The type of a column, and the choices of types that have them. */
export function TypeFields({ draft, isNew, errors, onChange }: ColumnFieldsProps): ReactNode {
  return (
    <>
      <NativeSelect
        label="Type"
        value={draft.type}
        data={[...COLUMN_TYPE_NAMES]}
        error={errors['type']}
        onChange={({ currentTarget: { value } }) => {
          const type = COLUMN_TYPE_NAMES.find((one) => one === value);
          if (type) onChange({ ...draft, type });
        }}
      />
      {COLUMN_TYPES[draft.type].hasChoices && (
        <Textarea
          label="Choices, one per line"
          {...(isNew
            ? { required: true }
            : {
                description: 'If you leave this blank for a new type, the choices are the values.',
              })}
          autosize
          minRows={3}
          maxRows={12}
          value={draft.choices}
          error={errors['options.choices']}
          onChange={({ currentTarget: { value: choices } }) => {
            onChange({ ...draft, choices });
          }}
        />
      )}
    </>
  );
}
