import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { datagridsText } from '../../text/datagrids-text';
import {
  CHANGEABLE_TYPES,
  COLUMN_TYPES,
  COLUMN_TYPE_NAMES,
  isComputed,
  isLink,
  isReadOnly,
  typeLabel,
  type ColumnType,
} from '../column-type';
import { ColumnTypeIcon } from '../column-type-icon';
import { withType, type ColumnDraft } from './column-draft';
import { ComputedFields } from './computed-fields';
import { LinkFields, type LinkHome } from './link-fields';

const t = datagridsText.column;

export interface ColumnFieldsProps {
  readonly draft: ColumnDraft;
  /** The datagrid of the column. */
  readonly home: LinkHome;
  readonly isNew: boolean;
  readonly errors: Readonly<Partial<Record<string, string>>>;
  readonly onChange: (draft: ColumnDraft) => void;
}

/** The type of a column, and the choices of types that have them. */
export function TypeFields(props: ColumnFieldsProps): ReactNode {
  const { draft, home, isNew, errors, onChange } = props;
  const types = typesFor(draft.type, isNew);
  return (
    <>
      <NativeSelect
        label={t.type}
        leftSection={<ColumnTypeIcon type={draft.type} />}
        value={draft.type}
        data={types.map((type) => ({ value: type, label: typeLabel(type) }))}
        error={errors['type']}
        onChange={({ currentTarget: { value } }) => {
          const type = types.find((one) => one === value);
          if (type) onChange(withType(draft, type, home.columns));
        }}
        // As in a text field. The arrows choose, and Space opens the list.
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <ChoicesField {...props} />
      <LinkFields {...props} />
      <ComputedFields {...props} />
      <StartField {...props} />
    </>
  );
}

/** Returns the types that a form offers for a column that has a type. */
function typesFor(type: ColumnType, isNew: boolean): ColumnType[] {
  if (isNew) return [...COLUMN_TYPE_NAMES];
  if (isLink(type) || isComputed(type)) return [type];
  return isReadOnly(type) ? [type, ...CHANGEABLE_TYPES] : [...CHANGEABLE_TYPES];
}

/** The first number of a column of numbers that the service assigns. */
export function StartField({ draft, isNew, errors, onChange }: ColumnFieldsProps): ReactNode {
  if (draft.type !== 'autonumber') return null;
  return (
    <TextInput
      label={t.start}
      description={isNew ? t.startHint : t.startFixed}
      placeholder="1"
      readOnly={!isNew}
      variant={isNew ? 'default' : 'filled'}
      inputMode="numeric"
      value={draft.start}
      error={errors['options.start']}
      onChange={({ currentTarget: { value: start } }) => {
        onChange({ ...draft, start });
      }}
    />
  );
}

/** The choices of a column, if its type has them. */
export function ChoicesField({ draft, isNew, errors, onChange }: ColumnFieldsProps): ReactNode {
  if (!COLUMN_TYPES[draft.type].hasChoices) return null;
  return (
    <Textarea
      label={t.choices}
      required={isNew}
      description={isNew ? t.choicesKeys : `${t.choicesHint} ${t.choicesKeys}`}
      autosize
      minRows={3}
      maxRows={12}
      value={draft.choices}
      error={errors['options.choices']}
      onChange={({ currentTarget: { value: choices } }) => {
        onChange({ ...draft, choices });
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        event.currentTarget.form?.requestSubmit();
      }}
    />
  );
}
