import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { datagridsText } from '../../text/datagrids-text';
import { withType } from './column-draft';
import { ComputedFields } from './computed-fields';
import { keyFor } from './key-for';
import { LinkFields } from './link-fields';
import { TypeButtons } from './type-buttons';
import { ChoicesField, StartField, type ColumnFieldsProps } from './type-fields';

type ShortProps = Pick<ColumnFieldsProps, 'draft' | 'home' | 'errors' | 'onChange'>;

/** The fields that a new column needs. Its key follows from the title. */
export function ShortColumnFields({ draft, home, errors, onChange }: ShortProps): ReactNode {
  return (
    <>
      <TextInput
        label={datagridsText.column.title}
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
      <TypeButtons
        type={draft.type}
        onChange={(type) => {
          onChange(withType(draft, type, home.columns));
        }}
      />
      <ChoicesField draft={draft} isNew home={home} errors={errors} onChange={onChange} />
      <LinkFields draft={draft} isNew home={home} errors={errors} onChange={onChange} />
      <ComputedFields draft={draft} isNew home={home} errors={errors} onChange={onChange} />
      <StartField draft={draft} isNew home={home} errors={errors} onChange={onChange} />
    </>
  );
}
