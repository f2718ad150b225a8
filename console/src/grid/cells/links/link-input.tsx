import type { ReactNode } from 'react';
import type { Column } from '../../../datagrids/datagrid';
import { LinkPicker, type LinkPickerProps } from './link-picker';
import { linkedIds, typedIds } from './linked-ids';

export interface LinkInputProps extends Pick<
  LinkPickerProps,
  'id' | 'isCell' | 'startText' | 'onDone' | 'mayOpen' | 'isInvalid'
> {
  /** A column that links to rows. */
  readonly column: Column;
  readonly typed: string;
  readonly onChange: (typed: string) => void;
}

/** The picker of rows for a value as it is typed: one id, or a JSON list of ids. */
export function LinkInput({ column, typed, onChange, ...rest }: LinkInputProps): ReactNode {
  return (
    <LinkPicker
      {...rest}
      title={column.title}
      datagridId={column.options.datagridId ?? ''}
      chosen={linkedIds(column, typed)}
      isMultiple={column.type === 'multiLink'}
      onChange={(ids) => {
        onChange(typedIds(column, ids));
      }}
    />
  );
}
