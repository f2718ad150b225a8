import { Button, Group, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../../../common/confirm';
import { Loading } from '../../../common/loading';
import { Problem } from '../../../common/problem';
import { quoted } from '../../../common/quoted';
import { datagridNamesQuery } from '../../datagrid-names';
import type { ConnectionRef } from '../connection-calls';
import { deleteImport, importsQuery, reloadImports, runImport, updateImport } from './import-calls';
import { ImportDialog } from './import-dialog';
import { ImportItem, type ImportAction } from './import-item';
import type { ScheduledImport } from './scheduled-import';

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
          Scheduled imports
        </Title>
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            setTask({ action: 'create' });
          }}
        >
          New scheduled import
        </Button>
      </Group>
      {change.error && (
        <Problem
          error={change.error}
          title={`${quoted(change.variables.scheduled.name)} was not changed`}
        />
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Text>
          A scheduled import reads a query or a table of this database into a datagrid, by key.
        </Text>
      )}
      <ul className="plain-list ruled-list">
        {data?.map((scheduled) => (
          <li key={scheduled.id}>
            <ImportItem
              scheduled={scheduled}
              datagrid={datagrids?.names.get(scheduled.datagridId)}
              isRequested={change.isPending && change.variables.scheduled.id === scheduled.id}
              onAction={(action) => {
                if (action === 'edit' || action === 'delete') setTask({ action, scheduled });
                else change.mutate({ scheduled, action });
              }}
            />
          </li>
        ))}
      </ul>
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
      title={`Delete ${quoted(scheduled.name)}?`}
      message="The scheduled import is deleted with its runs. The rows that it has written stay. This cannot be undone."
      submitLabel="Delete the import"
      onClose={onClose}
      onConfirm={async () => {
        await deleteImport(at, scheduled.id);
        await reloadImports(at);
      }}
    />
  );
}
