import { Button, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { countOf } from '../common/count-of';
import { quoted } from '../common/quoted';
import { When } from '../common/when';
import type { ListedDatagrid } from '../datagrids/datagrid';
import { createDatagrid, renameDatagrid } from '../datagrids/datagrid-calls';
import { FileDrop } from '../datagrids/import/file-drop';
import { DeleteDatagrid } from '../datagrids/delete-datagrid';
import { Crumbs } from '../list/crumbs';
import { ItemMenu } from '../list/item-menu';
import { ListItem } from '../list/list-item';
import { NameDialog } from '../list/name-dialog';
import { NamedList } from '../list/named-list';
import { mayManageConnections, mayManageWebhooks, mayWriteSchema } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { DeleteWorkspace } from './delete-workspace';
import { renameWorkspace, workspaceQuery } from './workspace-calls';

const ImportDialog = lazy(() => import('../datagrids/import/import-dialog'));

type Open =
  | { readonly kind: 'new' | 'rename' | 'delete' }
  | { readonly kind: 'import'; readonly file?: File }
  | { readonly kind: 'rename-datagrid' | 'delete-datagrid'; readonly of: ListedDatagrid };

/** Columns may be large, and this page only counts datagrids. */
const WITHOUT_COLUMNS = { omitColumns: 'true' };

const CRUMBS = <Crumbs way={[{ name: 'Workspaces', to: '/workspaces' }]} />;

/** The datagrids of one workspace. */
export function WorkspacePage(): ReactNode {
  const { workspaceId = '' } = useParams();
  const { role } = useSession().user;
  const mayWrite = mayWriteSchema(role);
  const { data: workspace, error, refetch } = useQuery(workspaceQuery(workspaceId));
  const [open, setOpen] = useState<Open>();
  const navigate = useNavigate();
  const close = (): void => {
    setOpen(undefined);
  };
  if (!workspace) {
    return (
      <Page title="Workspace" above={CRUMBS}>
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Page>
    );
  }
  return (
    <Page
      title={workspace.name}
      above={CRUMBS}
      actions={
        mayWrite && (
          <>
            {mayManageWebhooks(role) && (
              <Button component={Link} to={`/workspaces/${workspaceId}/webhooks`} variant="default">
                Webhooks
              </Button>
            )}
            {mayManageConnections(role) && (
              <Button
                component={Link}
                to={`/workspaces/${workspaceId}/connections`}
                variant="default"
              >
                Connections
              </Button>
            )}
            <Button
              variant="default"
              onClick={() => {
                setOpen({ kind: 'import' });
              }}
            >
              New datagrid from a file
            </Button>
            <Button
              onClick={() => {
                setOpen({ kind: 'new' });
              }}
            >
              New datagrid
            </Button>
            <ItemMenu label="Actions for this workspace">
              <Menu.Item
                onClick={() => {
                  setOpen({ kind: 'rename' });
                }}
              >
                Rename
              </Menu.Item>
              <Menu.Item
                onClick={() => {
                  setOpen({ kind: 'delete' });
                }}
              >
                Delete
              </Menu.Item>
            </ItemMenu>
          </>
        )
      }
    >
      {workspace.description && <Text mb="lg">{workspace.description}</Text>}
      <NamedList<ListedDatagrid>
        path={`/workspaces/${workspaceId}/datagrids`}
        query={WITHOUT_COLUMNS}
        what="datagrids"
        empty={<Text>There is no datagrid here yet. A datagrid holds rows of typed columns.</Text>}
        renderItem={(datagrid) => (
          <ListItem
            name={datagrid.name}
            to={`/datagrids/${datagrid.id}`}
            description={datagrid.description}
            facts={
              <>
                {countOf(datagrid.rowCount, 'row')}, {countOf(datagrid.columnCount, 'column')},
                changed <When iso={datagrid.updatedAt} />
              </>
            }
            actions={
              mayWrite && (
                <ItemMenu label={`Actions for ${datagrid.name}`}>
                  <Menu.Item
                    onClick={() => {
                      setOpen({ kind: 'rename-datagrid', of: datagrid });
                    }}
                  >
                    Rename
                  </Menu.Item>
                  <Menu.Item
                    onClick={() => {
                      setOpen({ kind: 'delete-datagrid', of: datagrid });
                    }}
                  >
                    Delete
                  </Menu.Item>
                </ItemMenu>
              )
            }
          />
        )}
      />
      {mayWrite && !open && (
        <FileDrop
          hint="Drop the file to create a datagrid from it"
          onFile={(file) => {
            setOpen({ kind: 'import', file });
          }}
        />
      )}
      {open?.kind === 'import' && (
        <NewFromFile
          workspaceId={workspaceId}
          file={open.file}
          onClose={(datagridId) => {
            close();
            if (datagridId !== undefined) void navigate(`/datagrids/${datagridId}`);
          }}
        />
      )}
      {open?.kind === 'new' && (
        <NameDialog
          title="New datagrid"
          submitLabel="Create"
          onClose={close}
          onSave={async (body, key) => {
            const { id } = await createDatagrid(workspaceId, body, key);
            await navigate(`/datagrids/${id}`);
          }}
        />
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title={`Rename ${quoted(workspace.name)}`}
          submitLabel="Save"
          initial={workspace}
          onClose={close}
          onSave={({ name, description }) => renameWorkspace(workspaceId, { name, description })}
        />
      )}
      {open?.kind === 'rename-datagrid' && (
        <NameDialog
          title={`Rename ${quoted(open.of.name)}`}
          submitLabel="Save"
          initial={open.of}
          onClose={close}
          onSave={({ name, description }) => renameDatagrid(open.of.id, { name, description })}
        />
      )}
      {open?.kind === 'delete' && (
        <DeleteWorkspace
          workspace={workspace}
          onClose={close}
          onDeleted={() => void navigate('/workspaces')}
        />
      )}
      {open?.kind === 'delete-datagrid' && <DeleteDatagrid datagrid={open.of} onClose={close} />}
    </Page>
  );
}

interface NewFromFileProps {
  readonly workspaceId: string;
  readonly file: File | undefined;
  /** @param datagridId The new datagrid, if there is one. */
  readonly onClose: (datagridId: string | undefined) => void;
}

function NewFromFile({ workspaceId, file, onClose }: NewFromFileProps): ReactNode {
  const [target] = useState({ workspaceId });
  const [created, setCreated] = useState<string>();
  return (
    <Suspense>
      <ImportDialog
        target={target}
        file={file}
        onImported={setCreated}
        onClose={() => {
          onClose(created);
        }}
      />
    </Suspense>
  );
}
