import { NativeSelect, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { datagridsText } from '../../text/datagrids-text';
import { CHANGEABLE_TYPES, COLUMN_TYPES, CREATABLE_TYPES, isLink, typeLabel } from '../column-type';
import { ColumnTypeIcon } from '../column-type-icon';
import type { ColumnDraft } from './column-change';
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
  const { draft, isNew, errors, onChange } = props;
  const types = isNew ? CREATABLE_TYPES : isLink(draft.type) ? [draft.type] : CHANGEABLE_TYPES;
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
          if (type) onChange({ ...draft, type });
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
    </>
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
