import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { isApiError } from '../../api/api-error';
import { DataTable, type TableColumn } from '../../common/data-table';
import { Dialog } from '../../common/dialog';
import { formErrors } from '../../common/field-errors';
import { Form } from '../../common/form';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { VERBATIM } from '../../common/verbatim';
import { When } from '../../common/when';
import {
  type ColumnRestoration,
  type DeletedColumn,
  freeKey,
  readDeletedColumns,
  restoreColumn,
} from '../../datagrids/columns/deleted-columns';
import type { Column, Datagrid } from '../../datagrids/datagrid';
import { mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';
import { gridText } from '../../text/grid-text';
import { quoted } from '../../text/words';
import { useAuthorName } from '../data/changes/use-author-name';

const t = gridText.columnTrash;

export interface DeletedColumnsDialogProps {
  readonly datagrid: Datagrid;
  readonly onRestored: (id: number, column: Column) => void;
  readonly onClose: () => void;
}

/** Lists the deleted columns of a datagrid, most recently deleted first, and restores them. */
export function DeletedColumnsDialog(props: DeletedColumnsDialogProps): ReactNode {
  const { datagrid, onRestored, onClose } = props;
  const mayRestore = mayWriteSchema(useSession().user.role);
  const [asked, setAsked] = useState<DeletedColumn>();
  const { data, error, refetch } = useQuery({
    queryKey: ['deleted-columns', datagrid.id],
    queryFn: ({ signal }) => readDeletedColumns(datagrid.id, signal),
    gcTime: 0,
  });
  const nameOf = useAuthorName(true);
  const onDone = (id: number, column: Column): void => {
    onRestored(id, column);
    void refetch();
  };
  const restore = useMutation({
    mutationFn: ({ id, key }: DeletedColumn) => restoreColumn(datagrid.id, { id, key }),
    onSuccess: (column, { id }) => {
      onDone(id, column);
    },
    onError: (problem, column) => {
      // The user can restore the column under another key, or without a rule.
      if (isApiError(problem, 'conflict') && problem.details.length > 0) setAsked(column);
    },
  });
  const columns: readonly TableColumn<DeletedColumn>[] = [
    { title: t.column, cell: ({ title }) => title },
    { title: t.key, isWide: true, cell: ({ key }) => key },
    { title: t.type, cell: ({ type }) => type },
    { title: t.deleted, isTime: true, cell: ({ deletedAt }) => <When iso={deletedAt} /> },
    {
      title: t.by,
      isWide: true,
      cell: ({ userId, keyId }) => nameOf(userId === null ? null : { userId, keyId }) ?? '',
    },
    { title: t.expires, isWide: true, cell: ({ expiresAt }) => <When iso={expiresAt} /> },
    {
      title: t.actions,
      isActions: true,
      cell: (column) =>
        mayRestore && (
          <Button
            variant="subtle"
            size="compact-xs"
            loading={restore.isPending && restore.variables.id === column.id}
            aria-label={t.restoreOne(quoted(column.title))}
            onClick={() => {
              restore.mutate(column);
            }}
          >
            {t.restore}
          </Button>
        ),
    },
  ];
  return (
    <Dialog title={t.title} isOpen isWide onClose={onClose}>
      <Text size="sm" c="dimmed" mb="sm">
        {t.hint}
      </Text>
      {restore.error && !asked && <Problem error={restore.error} title={t.notRestored} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <Text size="sm">{t.none}</Text>}
      {data && data.length > 0 && (
        <DataTable label={t.title} columns={columns} items={data} idOf={({ id }) => String(id)} />
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {asked && (
        <RestoreColumnDialog
          datagrid={datagrid}
          column={asked}
          problem={restore.error}
          onRestored={onDone}
          onClose={() => {
            restore.reset();
            setAsked(undefined);
          }}
        />
      )}
    </Dialog>
  );
}

interface RestoreColumnDialogProps {
  readonly datagrid: Datagrid;
  readonly column: DeletedColumn;
  /** Why the column was not restored as it was. */
  readonly problem: Error | null;
  readonly onRestored: (id: number, column: Column) => void;
  readonly onClose: () => void;
}

/** Asks under which key, and with which rules, to restore a column that conflicts with others. */
function RestoreColumnDialog(props: RestoreColumnDialogProps): ReactNode {
  const { datagrid, column, problem, onRestored, onClose } = props;
  const { id, required, unique } = column;
  const isTaken = isApiError(problem) && problem.details.some(({ field }) => field === 'key');
  const [body, setBody] = useState<ColumnRestoration>({
    id,
    key: isTaken ? freeKey(column.key, [...datagrid.columns, column]) : column.key,
    ...(required && { required }),
    ...(unique && { unique }),
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => restoreColumn(datagrid.id, body),
    onSuccess: (restored) => {
      onRestored(id, restored);
      onClose();
    },
  });
  const { fields, rest } = formErrors(error ?? problem, ['key', 'required', 'unique']);
  return (
    <Dialog title={t.restoreTitle(quoted(column.title))} isOpen onClose={onClose}>
      <Form
        submitLabel={t.restore}
        isPending={isPending}
        error={error}
        problem={rest}
        onCancel={onClose}
        onSubmit={() => {
          mutate();
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={t.key}
            {...VERBATIM}
            required
            maxLength={63}
            data-autofocus
            value={body.key}
            error={fields.key}
            onChange={({ currentTarget: { value: key } }) => {
              setBody({ ...body, key });
            }}
          />
          <Group>
            {(['required', 'unique'] as const).map(
              (rule) =>
                column[rule] && (
                  <Checkbox
                    key={rule}
                    label={t.rules[rule]}
                    checked={body[rule] ?? false}
                    error={fields[rule]}
                    onChange={({ currentTarget: { checked } }) => {
                      setBody({ ...body, [rule]: checked });
                    }}
                  />
                ),
            )}
          </Group>
        </Stack>
      </Form>
    </Dialog>
  );
}
