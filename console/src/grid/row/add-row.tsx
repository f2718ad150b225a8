import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { isApiError } from '../../api/api-error';
import { AttemptKey } from '../../api/attempt-key';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { useLeaveGuard } from '../../common/leave-guard';
import { isReadOnly } from '../../datagrids/column-type';
import type { Column, Datagrid } from '../../datagrids/datagrid';
import { gridText } from '../../text/grid-text';
import { typedJson, valuesBody } from '../cells/values/typed-value';
import { createRow } from '../data/row-calls';
import { fieldsOf } from '../editing/unsaved/row-sender';
import { ValueField } from './value-field';

export interface AddRowProps {
  readonly datagrid: Datagrid;
  readonly onAdded: (rowId: number) => void;
  readonly onClose: () => void;
}

/** Creates a row, with a field for each column. */
export function AddRow({ datagrid, onAdded, onClose }: AddRowProps): ReactNode {
  const columns = datagrid.columns.filter(({ type }) => !isReadOnly(type));
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [attempt] = useState(() => new AttemptKey());
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const body = bodyOf(columns, typed);
      return attempt.use(body, (key) => createRow(datagrid.id, body, key));
    },
    onSuccess: ({ id }) => {
      onAdded(id);
      onClose();
    },
  });
  const hasTyped = typed.size > 0;
  useLeaveGuard(hasTyped);
  const fields = isApiError(error) ? fieldsOf(error) : errorsOf(error);
  return (
    <Dialog title={gridText.newRow.title} isOpen hasInput={hasTyped} onClose={onClose}>
      <Form
        submitLabel={gridText.newRow.submit}
        isPending={isPending}
        error={error}
        problem={fields.size > 0 ? undefined : formErrors(error, []).rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Stack gap="sm">
          {columns.map((column, index) => (
            <ValueField
              key={column.key}
              column={column}
              isFirst={index === 0}
              typed={typed.get(column.key) ?? ''}
              error={fields.get(column.key)}
              onChange={(text) => {
                setTyped(new Map(typed).set(column.key, text));
              }}
            />
          ))}
        </Stack>
      </Form>
    </Dialog>
  );
}

/** Messages for values that cannot be sent, by column. */
class Unsendable extends Error {
  constructor(readonly fields: ReadonlyMap<string, string>) {
    super('Not everything can be sent.');
  }
}

const errorsOf = (error: unknown): ReadonlyMap<string, string> =>
  error instanceof Unsendable ? error.fields : new Map();

/** @throws Unsendable if a value is not valid JSON. */
function bodyOf(columns: readonly Column[], typed: ReadonlyMap<string, string>): string {
  const values = new Map<string, string>();
  const wrong = new Map<string, string>();
  for (const column of columns) {
    const result = typedJson(column, typed.get(column.key) ?? '');
    if (!result.ok) wrong.set(column.key, result.message);
    else if (result.json !== 'null') values.set(column.key, result.json);
  }
  if (wrong.size > 0) throw new Unsendable(wrong);
  return valuesBody(values);
}
