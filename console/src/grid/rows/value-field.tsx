import { Checkbox, Group, NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { COLUMN_TYPES } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import { choicesFor } from '../cells/start-value';
import { choicesOf, shownValue } from '../values/shown-value';

export interface ValueFieldProps {
  readonly column: Column;
  readonly typed: string;
  readonly error: string | undefined;
  readonly isFirst: boolean;
  readonly onChange: (typed: string) => void;
}

/** A field of a form for one value, typed as in the grid. */
export function ValueField({
  column,
  typed,
  error,
  isFirst,
  onChange,
}: ValueFieldProps): ReactNode {
  const { title, type, options, defaultValue } = column;
  // A row without the value gets the default value.
  const required = column.required && defaultValue === undefined;
  const note = defaultValue === undefined ? '' : `, default ${shownValue(column, defaultValue)}`;
  const common = {
    label: title,
    description: `${column.key}: ${type}${column.unique ? ', unique' : ''}${note}`,
    required,
    error,
    ...(isFirst ? { 'data-autofocus': true } : {}),
  };
  const { editor, placeholder, inputMode } = COLUMN_TYPES[type];
  if (editor === 'choices') {
    return (
      <Checkbox.Group
        {...common}
        value={[...choicesOf(typed)]}
        onChange={(chosen) => {
          onChange(chosen.length === 0 ? '' : JSON.stringify(chosen));
        }}
      >
        <Group gap="sm" mt="xs">
          {options.choices?.map((choice) => (
            <Checkbox key={choice} value={choice} label={choice} />
          ))}
        </Group>
      </Checkbox.Group>
    );
  }
  if (editor === 'choice') {
    const choices = choicesFor(column);
    return (
      <NativeSelect
        {...common}
        value={typed}
        data={[{ value: '', label: '(no value)' }, ...choices]}
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
      inputMode={inputMode}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        onChange(value);
      }}
    />
  );
}
