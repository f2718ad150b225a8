import { Input, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { COLUMN_TYPES, keyboardOf } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import { ChoiceInput } from '../cells/choices/choice-input';
import { BOOLEANS } from '../cells/grid-cell/start-value';
import { JsonEditor } from '../cells/json/json-editor';
import { LinkInput } from '../cells/links/link-input';
import { exactTitle, shownTyped, shownValue } from '../cells/values/shown-value';

const t = gridText.values;

export interface ValueFieldProps {
  readonly column: Column;
  readonly typed: string;
  readonly error: string | undefined;
  readonly isFirst: boolean;
  /** Whether linked rows can be opened, where leaving the page loses no input. */
  readonly mayOpen?: boolean;
  readonly onChange: (typed: string) => void;
}

/** A field of a form for one value, typed as in the grid. */
export function ValueField({
  column,
  typed,
  error,
  isFirst,
  mayOpen = false,
  onChange,
}: ValueFieldProps): ReactNode {
  const { title, type, defaultValue } = column;
  // A row without the value gets the default value.
  const required = column.required && defaultValue === undefined;
  const facts = [
    t.typeOf(column.key, type),
    ...(column.unique ? [t.unique] : []),
    ...(defaultValue === undefined ? [] : [t.defaultOf(shownValue(column, defaultValue))]),
  ];
  const id = useId();
  const [hasFocus, setFocus] = useState(false);
  const labels = {
    label: title,
    description: t.column(facts),
    required,
    error,
  };
  const common = { ...labels, ...(isFirst ? { 'data-autofocus': true } : {}) };
  const { editor, hasChoices, placeholder } = COLUMN_TYPES[type];
  if (editor === 'rows') {
    return (
      <Input.Wrapper {...labels} id={id}>
        <LinkInput
          id={id}
          column={column}
          typed={typed}
          isInvalid={error !== undefined}
          mayOpen={mayOpen}
          onChange={onChange}
        />
      </Input.Wrapper>
    );
  }
  if (hasChoices) {
    return (
      <Input.Wrapper {...labels} id={id}>
        <ChoiceInput id={id} column={column} typed={typed} onChange={onChange} />
      </Input.Wrapper>
    );
  }
  if (type === 'json') {
    return (
      <Input.Wrapper {...labels} id={id}>
        <JsonEditor id={id} title={title} started={typed} onChange={onChange} />
      </Input.Wrapper>
    );
  }
  if (editor === 'choice') {
    return (
      <NativeSelect
        {...common}
        value={typed}
        data={[{ value: '', label: t.none }, ...BOOLEANS]}
        onChange={({ currentTarget: { value } }) => {
          onChange(value);
        }}
      />
    );
  }
  if (editor === 'area') {
    return (
      <Textarea
        {...common}
        autosize
        minRows={1}
        maxRows={10}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          onChange(value);
        }}
      />
    );
  }
  return (
    <TextInput
      {...common}
      placeholder={placeholder}
      {...keyboardOf(type)}
      // A number or a date is shown as in the grid until it is edited.
      value={hasFocus ? typed : shownTyped(column, typed)}
      title={exactTitle(column, typed)}
      onFocus={() => {
        setFocus(true);
      }}
      onBlur={() => {
        setFocus(false);
      }}
      onChange={({ currentTarget: { value } }) => {
        onChange(value);
      }}
    />
  );
}
