import { Checkbox, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { VERBATIM } from '../../../common/verbatim';
import { Dialog } from '../../../common/dialog';
import { formErrors } from '../../../common/field-errors';
import { Form } from '../../../common/form';
import { datagridQuery } from '../../../datagrids/datagrid-calls';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import { isStarted, tableChanges, type ConnectionTable } from '../connection';
import { reloadConnections, updateTable, type ConnectionRef } from '../connection-calls';

const t = connectionsText.table;

export interface TableDialogProps {
  readonly at: ConnectionRef;
  readonly table: ConnectionTable;
  readonly onClose: () => void;
}

/** Edits the name of a table before its first load, and its columns. */
export function TableDialog({ at, table, onClose }: TableDialogProps): ReactNode {
  const { datagridId } = table;
  const [initial] = useState(table);
  const [name, setName] = useState(table.name);
  const [columns, setColumns] = useState(table.columns);
  const [isEmpty, setIsEmpty] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => updateTable(at, datagridId, tableChanges(initial, { name, columns })),
    onSuccess: onClose,
    onSettled: () => reloadConnections(at.workspaceId),
  });
  const { fields, rest } = formErrors(error, ['name', 'columns']);
  return (
    <Dialog title={t.title(initial.name)} isOpen onClose={onClose}>
      <Form
        submitLabel={text.actions.save}
        isPending={isPending}
        error={isEmpty || error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          setIsEmpty(columns?.length === 0);
          if (columns?.length !== 0) mutate();
        }}
      >
        {isStarted(table) ? (
          <Text size="sm">{t.fixedName}</Text>
        ) : (
          <TextInput
            label={t.name}
            description={t.nameHint}
            required
            maxLength={50}
            {...VERBATIM}
            data-autofocus
            value={name}
            error={fields.name}
            onChange={({ currentTarget }) => {
              setName(currentTarget.value);
            }}
          />
        )}
        <ColumnsField
          datagridId={datagridId}
          value={columns}
          error={isEmpty ? t.noColumns : fields.columns}
          onChange={setColumns}
        />
      </Form>
    </Dialog>
  );
}

interface ColumnsFieldProps {
  readonly datagridId: string;
  readonly value: readonly string[] | null;
  readonly error: string | undefined;
  readonly onChange: (columns: readonly string[] | null) => void;
}

function ColumnsField({ datagridId, value, error, onChange }: ColumnsFieldProps): ReactNode {
  const { data, error: failure } = useQuery(datagridQuery(datagridId));
  const keys = data?.columns.map(({ key }) => key) ?? [];
  return (
    <Radio.Group
      label={t.columns}
      description={t.columnsHint}
      value={value === null ? 'all' : 'some'}
      error={value === null ? error : undefined}
      onChange={(choice) => {
        onChange(choice === 'all' ? null : keys);
      }}
    >
      <Stack gap="xs" mt={4}>
        <Radio value="all" label={t.allColumns} />
        <Radio value="some" label={t.someColumns} />
        {failure && <Text size="sm">{t.columnsFailed}</Text>}
        {value !== null && (
          <Checkbox.Group
            aria-label={t.chosenColumns}
            value={[...value]}
            error={error}
            onChange={(chosen) => {
              onChange(keys.filter((key) => chosen.includes(key)));
            }}
          >
            <div className="column-choices">
              {data?.columns.map(({ key, title }) => (
                <Checkbox key={key} value={key} label={title === key ? key : `${title} (${key})`} />
              ))}
            </div>
          </Checkbox.Group>
        )}
      </Stack>
    </Radio.Group>
  );
}
