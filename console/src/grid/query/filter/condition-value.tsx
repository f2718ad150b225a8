import { Input, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { COLUMN_TYPES, isLink, keyboardOf } from '../../../datagrids/column-type';
import type { Column } from '../../../datagrids/datagrid';
import { gridText } from '../../../text/grid-text';
import { linksText } from '../../../text/links-text';
import { LinkPicker } from '../../cells/links/link-picker';
import { isRowId } from '../../cells/links/linked-ids';
import { type Condition, takesList } from './condition';

export interface ConditionValueProps {
  readonly column: Column;
  readonly condition: Condition;
  /** Gets the focus when the dialog opens. */
  readonly isStart: boolean;
  readonly error: string | undefined;
  readonly onChange: (typed: string) => void;
}

/** Input for the value of a condition. */
export function ConditionValue(props: ConditionValueProps): ReactNode {
  const { column, condition, isStart, error, onChange } = props;
  const { operator, typed } = condition;
  const id = useId();
  const field = {
    value: typed,
    error,
    'data-autofocus': isStart || undefined,
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      onChange(value);
    },
  };
  if (isLink(column.type)) {
    const isList = takesList(operator);
    const label = isList ? linksText.filter.rows : linksText.filter.row;
    return (
      <Input.Wrapper label={label} error={error} id={id}>
        <LinkPicker
          id={id}
          title={label}
          datagridId={column.options.datagridId ?? ''}
          chosen={typed.split('\n').filter(isRowId)}
          isMultiple={isList}
          isStart={isStart}
          isInvalid={error !== undefined}
          onChange={(ids) => {
            onChange(ids.join('\n'));
          }}
        />
      </Input.Wrapper>
    );
  }
  if (takesList(operator)) {
    return <Textarea {...field} label={gridText.filter.values} autosize minRows={2} maxRows={8} />;
  }
  const choices = column.type === 'boolean' ? ['true', 'false'] : column.options.choices;
  if (choices) {
    // A choice that was removed since stays visible.
    const others = typed === '' || choices.includes(typed) ? [] : [typed];
    return (
      <NativeSelect {...field} label={gridText.filter.value} data={['', ...others, ...choices]} />
    );
  }
  const { placeholder } = COLUMN_TYPES[column.type];
  return (
    <TextInput
      {...field}
      label={gridText.filter.value}
      placeholder={placeholder}
      {...keyboardOf(column.type)}
    />
  );
}
