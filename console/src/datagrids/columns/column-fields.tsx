import { Checkbox, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DefaultField } from './default-field';
import { keyFor } from './key-for';
import { TypeFields, type ColumnFieldsProps } from './type-fields';

const SWITCHES = [
  ['required', 'Required', 'Every row must have a value.'],
  ['unique', 'Unique', 'No two rows may have the same value.'],
  ['indexed', 'Indexed', 'Filtering and sorting by this column is fast for any number of rows.'],
] as const;

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
      {!draft.unique && (
        <DefaultField draft={draft} error={errors['defaultValue']} onChange={onChange} />
      )}
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
