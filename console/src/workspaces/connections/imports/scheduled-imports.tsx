import { Button, Group, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../../../common/confirm';
import { DataTable } from '../../../common/data-table';
import { Loading } from '../../../common/loading';
import { Problem } from '../../../common/problem';
import { connectionsText } from '../../../text/connections-text';
import { datagridNamesQuery } from '../../../datagrids/datagrid-names';
import type { ConnectionRef } from '../connection-calls';
import { deleteImport, importsQuery, reloadImports, runImport, updateImport } from './import-calls';
import { ImportDialog } from './import-dialog';
import { columnsOf, noteOf, type ImportAction } from './import-columns';
import type { ScheduledImport } from './scheduled-import';

const t = connectionsText.imports;

interface Task {
  readonly action: 'create' | 'edit' | 'delete';
  readonly scheduled?: ScheduledImport;
}

/** Lists the scheduled imports of a connection, and creates, edits and runs them. */
export function ScheduledImports({ at }: { readonly at: ConnectionRef }): ReactNode {
  const { data, error, refetch } = useQuery(importsQuery(at));
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  const [task, setTask] = useState<Task>();
  const change = useMutation({
    mutationFn: ({ scheduled, action }: { scheduled: ScheduledImport; action: ImportAction }) =>
      action === 'run'
        ? runImport(at, scheduled.id)
        : updateImport(at, scheduled.id, { enabled: action === 'resume' }),
    onSettled: () => reloadImports(at),
  });
  const close = (): void => {
    setTask(undefined);
  };
  return (
    <section aria-labelledby="imports" className="connection-tables">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="imports">
          {t.title}
        </Title>
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            setTask({ action: 'create' });
          }}
        >
          {t.create}
        </Button>
      </Group>
      {change.error && (
        <Problem error={change.error} title={t.notChanged(change.variables.scheduled.name)} />
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.none}
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable
          label={t.title}
          columns={columnsOf({
            names: datagrids?.names,
            isRequested: ({ id }) => change.isPending && change.variables.scheduled.id === id,
            onAction: (action, scheduled) => {
              if (action === 'edit' || action === 'delete') setTask({ action, scheduled });
              else change.mutate({ scheduled, action });
            },
          })}
          items={data}
          idOf={({ id }) => id}
          noteOf={noteOf}
        />
      )}
      {task && <ImportTask {...task} at={at} onClose={close} />}
    </section>
  );
}

interface ImportTaskProps extends Task {
  readonly at: ConnectionRef;
  readonly onClose: () => void;
}

function ImportTask({ action, scheduled, at, onClose }: ImportTaskProps): ReactNode {
  if (action !== 'delete' || !scheduled) {
    return <ImportDialog at={at} saved={scheduled} onClose={onClose} />;
  }
  return (
    <Confirm
      title={t.removal.title(scheduled.name)}
      message={t.removal.message}
      submitLabel={t.removal.submit}
      onClose={onClose}
      onConfirm={async () => {
        await deleteImport(at, scheduled.id);
        await reloadImports(at);
      }}
    />
  );
}
