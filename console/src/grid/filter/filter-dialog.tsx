import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { Form } from '../../common/form';
import type { Column } from '../../datagrids/datagrid';
import { OPERATOR_LABELS, operatorsOf, takesNoValue, type Condition } from './condition';
import { ConditionValue } from './condition-value';

export interface FilterDialogProps {
  readonly columns: readonly Column[];
  readonly conditions: readonly Condition[];
  /** Column of an initial condition. */
  readonly startWith?: string | undefined;
  readonly onApply: (conditions: readonly Condition[]) => void;
  readonly onClose: () => void;
}

/** Edits the filter. Rows must meet all conditions. */
export function FilterDialog(props: FilterDialogProps): ReactNode {
  const { columns, onApply, onClose } = props;
  const fresh = (key?: string): Condition[] => {
    const column = columns.find((one) => one.key === key) ?? columns[0];
    const operator = column && operatorsOf(column.type)[0];
    return operator ? [{ key: column.key, operator, typed: '' }] : [];
  };
  const [conditions, setConditions] = useState<readonly Condition[]>(() =>
    props.startWith !== undefined || props.conditions.length === 0
      ? [...props.conditions, ...fresh(props.startWith)]
      : props.conditions,
  );
  const put = (index: number, next: Condition | null): void => {
    setConditions(conditions.flatMap((one, at) => (at === index ? (next ?? []) : one)));
  };
  return (
    <Dialog title="Filter" isOpen onClose={onClose}>
      <Form
        submitLabel="Show these rows"
        isPending={false}
        error={null}
        problem={undefined}
        onCancel={onClose}
        onSubmit={() => {
          onApply(conditions);
          onClose();
        }}
      >
        {conditions.length === 0 && <Text>All rows are shown.</Text>}
        {conditions.map((condition, index) => (
          <ConditionFields
            // Conditions have no id, so their position is the key.
            key={index}
            number={index + 1}
            columns={columns}
            condition={condition}
            onChange={(next) => {
              put(index, next);
            }}
          />
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setConditions([...conditions, ...fresh()]);
            }}
          >
            Add a condition
          </Button>
        </Group>
      </Form>
    </Dialog>
  );
}

interface ConditionFieldsProps {
  readonly number: number;
  readonly columns: readonly Column[];
  readonly condition: Condition;
  /** `null` removes the condition. */
  readonly onChange: (condition: Condition | null) => void;
}

function ConditionFields({
  number,
  columns,
  condition,
  onChange,
}: ConditionFieldsProps): ReactNode {
  const column = columns.find(({ key }) => key === condition.key) ?? columns[0];
  if (!column) return null;
  const operators = operatorsOf(column.type);
  return (
    <Stack component="fieldset" gap="xs" className="condition">
      <legend className="visually-hidden">Condition {number}</legend>
      <Group gap="xs" grow preventGrowOverflow={false} wrap="wrap">
        <NativeSelect
          label="Column"
          value={column.key}
          data={columns.map(({ key, title }) => ({ value: key, label: title }))}
          onChange={({ currentTarget: { value: key } }) => {
            const next = columns.find((one) => one.key === key);
            const operator = next && operatorsOf(next.type)[0];
            if (operator) onChange({ key, operator, typed: '' });
          }}
        />
        <NativeSelect
          label="Condition"
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
            onChange={(typed) => {
              onChange({ ...condition, typed });
            }}
          />
        )}
      </Group>
      <Group justify="flex-end">
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={`Remove condition ${number}`}
          onClick={() => {
            onChange(null);
          }}
        >
          Remove
        </Button>
      </Group>
    </Stack>
  );
}
