import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataRequest } from '../api/data';
import { Confirm } from '../common/confirm';
import { Dialog } from '../common/dialog';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { workspacesText } from '../text/workspaces-text';
import type { Workspace } from './workspace';
import { deleteWorkspace } from './workspace-calls';

export interface DeleteWorkspaceProps {
  readonly workspace: Workspace;
  readonly onDeleted?: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation, says which datagrids are deleted too, and deletes a workspace. */
export function DeleteWorkspace({
  workspace,
  onDeleted,
  onClose,
}: DeleteWorkspaceProps): ReactNode {
  const title = workspacesText.removal.title(workspace.name);
  const { data: datagrids, error } = useQuery({
    queryKey: ['datagrid-count', workspace.id],
    queryFn: async ({ signal }) => {
      const path = `/workspaces/${workspace.id}/datagrids`;
      return (
        (
          await dataRequest('GET', path, {
            query: { limit: 1, omitColumns: 'true' },
            signal,
          })
        ).meta?.total ?? 0
      );
    },
    gcTime: 0,
    staleTime: 0,
  });
  if (datagrids === undefined) {
    return (
      <Dialog title={title} isOpen onClose={onClose}>
        {error ? <Problem error={error} /> : <Loading />}
      </Dialog>
    );
  }
  return (
    <Confirm
      title={title}
      message={workspacesText.removal.message(datagrids)}
      submitLabel={workspacesText.removal.submit(datagrids)}
      onClose={onClose}
      onConfirm={async () => {
        await deleteWorkspace(workspace.id, datagrids > 0);
        onDeleted?.();
      }}
    />
  );
}
