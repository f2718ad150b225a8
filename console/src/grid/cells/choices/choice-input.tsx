import type { ReactNode } from 'react';
import { addChoice } from '../../../datagrids/columns/add-choice';
import type { Column } from '../../../datagrids/datagrid';
import { reloadDatagrid } from '../../../datagrids/datagrid-calls';
import { choicesOf } from '../values/shown-value';
import { ChoicePicker, type ChoicePickerProps } from './choice-picker';
import { useColumnsOf } from './columns-of';

export interface ChoiceInputProps extends Pick<
  ChoicePickerProps,
  'id' | 'isCell' | 'startText' | 'onDone'
> {
  /** A column of type `select` or `multiSelect`. */
  readonly column: Column;
  readonly typed: string;
  readonly onChange: (typed: string) => void;
}

/** The picker of choices for a value as it is typed: one choice, or a JSON list. */
export function ChoiceInput({ column, typed, onChange, ...rest }: ChoiceInputProps): ReactNode {
  const columnsOf = useColumnsOf();
  const { key, title, type, options } = column;
  const isMultiple = type === 'multiSelect';
  return (
    <ChoicePicker
      {...rest}
      title={title}
      choices={options.choices ?? []}
      chosen={isMultiple ? choicesOf(typed) : typed === '' ? [] : [typed]}
      isMultiple={isMultiple}
      onChange={(chosen) => {
        onChange(isMultiple && chosen.length > 0 ? JSON.stringify(chosen) : (chosen[0] ?? ''));
      }}
      onAdd={
        columnsOf === undefined
          ? undefined
          : async (choice) => {
              await addChoice(columnsOf, key, choice);
              await reloadDatagrid(columnsOf);
            }
      }
    />
  );
}
