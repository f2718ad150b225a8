import { CloseButton, Group, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { conditionError } from './check-condition';
import { OPERATOR_LABELS, operatorsOf, takesNoValue, type Condition } from './condition';
import { ConditionValue } from './condition-value';

export interface ConditionFieldsProps {
  /** Such as `2` or `2.1`. */
  readonly number: string;
  readonly columns: readonly Column[];
  readonly condition: Condition;
  /** Whether an invalid value is marked. */
  readonly isChecked: boolean;
  /** Field that gets the focus when the dialog opens, if this is the first such condition. */
  readonly startAt: 'column' | 'value' | undefined;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

/** Fields of one condition: column, operator and value. */
export function ConditionFields(props: ConditionFieldsProps): ReactNode {
  const { number, columns, condition, isChecked, startAt, onChange, onRemove } = props;
  const column = columns.find(({ key }) => key === condition.key);
  if (!column) return null;
  const operators = operatorsOf(column.type);
  return (
    <Group
      component="fieldset"
      gap="xs"
      wrap="nowrap"
      align="flex-start"
      className="condition"
      data-part={number}
    >
      <legend className="visually-hidden">{gridText.filter.condition(number)}</legend>
      <Group flex={1} gap="xs" grow preventGrowOverflow={false} wrap="wrap" align="flex-start">
        <NativeSelect
          label={gridText.filter.column}
          value={column.key}
          data-autofocus={startAt === 'column' || undefined}
          data={columns.map(({ key, title }) => ({ value: key, label: title }))}
          onChange={({ currentTarget: { value: key } }) => {
            const next = columns.find((one) => one.key === key);
            const operator = next && operatorsOf(next.type)[0];
            if (operator) onChange({ key, operator, typed: '' });
          }}
        />
        <NativeSelect
          label={gridText.filter.operator}
          value={condition.operator}
          data={operators.map((value) => ({ value, label: OPERATOR_LABELS[value] }))}
          onChange={({ currentTarget: { value } }) => {
            const operator = operators.find((one) => one === value);
            if (operator) onChange({ ...condition, operator });
          }}
        />
        {!takesNoValue(condition.operator) && (
          <ConditionValue
            column={column}
            condition={condition}
            isStart={startAt === 'value'}
            error={isChecked ? conditionError(column, condition) : undefined}
            onChange={(typed) => {
              onChange({ ...condition, typed });
            }}
          />
        )}
      </Group>
      <CloseButton
        className="condition-remove"
        aria-label={gridText.filter.removeCondition(number)}
        title={gridText.filter.remove}
        onClick={onRemove}
      />
    </Group>
  );
}
