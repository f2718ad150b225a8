import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataRequest } from '../api/data';
import { Confirm } from '../common/confirm';
import { Dialog } from '../common/dialog';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { quoted } from '../common/quoted';
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
  const title = `Delete ${quoted(workspace.name)}?`;
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
      message={`${contents(datagrids)} It can be restored from the trash for some days.`}
      submitLabel={datagrids > 0 ? 'Delete it with its datagrids' : 'Delete the workspace'}
      onClose={onClose}
      onConfirm={async () => {
        await deleteWorkspace(workspace.id, datagrids > 0);
        onDeleted?.();
      }}
    />
  );
}

function contents(datagrids: number): string {
  if (datagrids === 0) return 'It contains no datagrids.';
  const deleted = datagrids === 1 ? 'one datagrid, which is' : `${datagrids} datagrids, which are`;
  return `It contains ${deleted} deleted too. Programs that use them will fail.`;
}
