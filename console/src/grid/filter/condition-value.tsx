import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from '../../datagrids/datagrid';
import { INPUT_MODES, PLACEHOLDERS } from '../cells/input-hints';
import type { Condition } from './condition';

export interface ConditionValueProps {
  readonly column: Column;
  readonly condition: Condition;
  readonly onChange: (typed: string) => void;
}

/** What a condition compares with. */
export function ConditionValue({ column, condition, onChange }: ConditionValueProps): ReactNode {
  const { operator, typed } = condition;
  if (operator === '$in') {
    return (
      <Textarea
        label="Values, one a line"
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
  return (
    <TextInput
      label="Value"
      value={typed}
      placeholder={PLACEHOLDERS[column.type]}
      inputMode={INPUT_MODES[column.type] ?? 'text'}
      onChange={({ currentTarget: { value } }) => {
        onChange(value);
      }}
    />
  );
}
