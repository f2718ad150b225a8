import { Checkbox, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { datagridsText } from '../../text/datagrids-text';
import { isLink, isReadOnly } from '../column-type';
import { DefaultField } from './default-field';
import { keyFor } from './key-for';
import { TypeFields, type ColumnFieldsProps } from './type-fields';

const t = datagridsText.column;

const SWITCHES = [
  ['required', t.required, t.requiredHint],
  ['unique', t.unique, t.uniqueHint],
  ['indexed', t.indexed, t.indexedHint],
] as const;

export function ColumnFields(props: ColumnFieldsProps): ReactNode {
  const { draft, isNew, errors, onChange } = props;
  return (
    <>
      <TextInput
        label={t.title}
        description={t.titleHint}
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
        label={t.key}
        description={t.keyHint}
        required
        readOnly={!isNew}
        variant={isNew ? 'default' : 'filled'}
        maxLength={63}
        value={draft.key}
        error={errors['key']}
        onChange={({ currentTarget: { value: key } }) => {
          onChange({ ...draft, key });
        }}
      />
      <TypeFields {...props} />
      {!draft.unique && !isLink(draft.type) && !isReadOnly(draft.type) && (
        <DefaultField draft={draft} error={errors['defaultValue']} onChange={onChange} />
      )}
      {SWITCHES.filter(
        ([member]) =>
          (member !== 'unique' || draft.type !== 'multiLink') &&
          (member === 'indexed' || !isReadOnly(draft.type)),
      ).map(([member, label, description]) => (
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
