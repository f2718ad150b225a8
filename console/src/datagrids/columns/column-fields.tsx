import { Checkbox, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { datagridsText } from '../../text/datagrids-text';
import { isComputed, isLink, isReadOnly, mayIgnoreCase, type ColumnType } from '../column-type';
import type { Column } from '../datagrid';
import { DefaultField } from './default-field';
import { KeyFields } from './key-fields';
import { keyFor } from './key-for';
import { TypeFields, type ColumnFieldsProps } from './type-fields';

const t = datagridsText.column;

const SWITCHES = [
  ['required', t.required, t.requiredHint],
  ['unique', t.unique, t.uniqueHint],
  ['indexed', t.indexed, t.indexedHint],
  ['ignoreCase', t.ignoreCase, t.ignoreCaseHint],
] as const;

/** Returns whether columns of a type can have a property. */
function hasSwitch(type: ColumnType, member: (typeof SWITCHES)[number][0]): boolean {
  if (isComputed(type)) return false;
  switch (member) {
    case 'required':
      return !isReadOnly(type);
    case 'unique':
      return !isReadOnly(type) && type !== 'multiLink';
    case 'indexed':
      return true;
    case 'ignoreCase':
      return mayIgnoreCase(type);
  }
}

interface AllFieldsProps extends Omit<ColumnFieldsProps, 'isNew'> {
  /** The column as it is, or undefined for a new one. */
  readonly column: Column | undefined;
}

export function ColumnFields({ column, ...others }: AllFieldsProps): ReactNode {
  const { draft, errors, onChange } = others;
  const isNew = column === undefined;
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
      <KeyFields draft={draft} column={column} errors={errors} onChange={onChange} />
      <TypeFields {...others} isNew={isNew} />
      {!draft.unique && !isLink(draft.type) && !isReadOnly(draft.type) && (
        <DefaultField draft={draft} error={errors['defaultValue']} onChange={onChange} />
      )}
      {SWITCHES.filter(([member]) => hasSwitch(draft.type, member)).map(
        ([member, label, description]) => (
          <Checkbox
            key={member}
            label={label}
            description={description}
            checked={draft[member]}
            onChange={({ currentTarget: { checked } }) => {
              onChange({ ...draft, [member]: checked });
            }}
          />
        ),
      )}
    </>
  );
}
