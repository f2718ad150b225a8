import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { COLUMN_TYPES } from '../../datagrids/column-type';
import type { Column } from '../../datagrids/datagrid';
import type { Condition } from './condition';

export interface ConditionValueProps {
  readonly column: Column;
  readonly condition: Condition;
  readonly onChange: (typed: string) => void;
}

/** Input for the value of a condition. */
export function ConditionValue({ column, condition, onChange }: ConditionValueProps): ReactNode {
  const { operator, typed } = condition;
  if (operator === '$in') {
    return (
      <Textarea
        label="Values, one per line"
        autosize
        minRows={2}
        maxRows={8}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          onChange(value);
        }}
      />
    );
  }
  const choices = column.type === 'boolean' ? ['true', 'false'] : column.options.choices;
  if (choices) {
    return (
      <NativeSelect
        label="Value"
        value={typed}
        data={['', ...choices]}
        onChange={({ currentTarget: { value } }) => {
          onChange(value);
        }}
      />
    );
  }
  const { placeholder, inputMode } = COLUMN_TYPES[column.type];
  return (
    <TextInput
      label="Value"
      value={typed}
      placeholder={placeholder}
      inputMode={inputMode}
      onChange={({ currentTarget: { value } }) => {
        onChange(value);
      }}
    />
  );
}
