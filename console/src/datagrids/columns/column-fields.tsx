import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { COLUMN_TYPE_NAMES, COLUMN_TYPES } from '../column-type';
import type { ColumnDraft } from './column-change';
import { keyFor } from './key-for';

export interface ColumnFieldsProps {
  readonly draft: ColumnDraft;
  readonly isNew: boolean;
  readonly errors: Readonly<Partial<Record<string, string>>>;
  readonly onChange: (draft: ColumnDraft) => void;
}

const SWITCHES = [
  ['required', 'Required', 'Every row must have a value.'],
  ['unique', 'Unique', 'No two rows may have the same value.'],
  ['indexed', 'Indexed', 'Filtering and sorting by this column is fast for any number of rows.'],
] as const;

type ShortProps = Pick<ColumnFieldsProps, 'draft' | 'errors' | 'onChange'>;

/** The fields that a new column needs. Its key follows from the title. */
export function ShortColumnFields({ draft, errors, onChange }: ShortProps): ReactNode {
  return (
    <>
      <TextInput
        label="Title"
        data-autofocus
        autoFocus
        required
        maxLength={200}
        value={draft.title}
        error={errors['title'] ?? errors['key']}
        onChange={({ currentTarget: { value: title } }) => {
          onChange({ ...draft, title, key: keyFor(title) });
        }}
      />
      <TypeFields draft={draft} isNew errors={errors} onChange={onChange} />
    </>
  );
}

export function ColumnFields({ draft, isNew, errors, onChange }: ColumnFieldsProps): ReactNode {
  return (
    <>
      <TextInput
        label="Title"
        description="Displayed name. It can change at any time."
        data-autofocus
        maxLength={200}
        value={draft.title}
        error={errors['title']}
        onChange={({ currentTarget: { value: title } }) => {
          const key = isNew && draft.key === keyFor(draft.title) ? keyFor(title) : draft.key;
          onChange({ ...draft, title, key });
        }}
      />
      <TextInput
        label="Key"
        description="Name in the API. It never changes."
        required
        readOnly={!isNew}
        maxLength={63}
        value={draft.key}
        error={errors['key']}
        onChange={({ currentTarget: { value: key } }) => {
          onChange({ ...draft, key });
        }}
      />
      <TypeFields draft={draft} isNew={isNew} errors={errors} onChange={onChange} />
      {SWITCHES.map(([member, label, description]) => (
        <Checkbox
          key={member}
          label={label}
          description={description}
          checked={draft[member]}
          onChange={({ currentTarget: { checked } }) => {
            onChange({ ...draft, [member]: checked });
          }}
        />
      ))}
    </>
  );
}

/** The type of a column, and the choices of types that have them. */
function TypeFields({ draft, isNew, errors, onChange }: ColumnFieldsProps): ReactNode {
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
