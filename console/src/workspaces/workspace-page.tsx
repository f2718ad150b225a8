import { Button, Group, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router';
import { Loading } from '../common/loading';
import type { TableColumn } from '../common/data-table';
import { EmptyState } from '../common/empty-state';
import { When } from '../common/when';
import type { ListedDatagrid } from '../datagrids/datagrid';
import { createDatagrid, renameDatagrid } from '../datagrids/datagrid-calls';
import { FileDrop } from '../datagrids/import/file-drop';
import { DeleteDatagrid } from '../datagrids/delete-datagrid';
import { Crumbs } from '../list/crumbs';
import { DANGER, ItemMenu } from '../list/item-menu';
import { ItemName } from '../list/item-name';
import { useIsEmpty } from '../list/listing';
import { NameDialog } from '../list/name-dialog';
import { NamedList } from '../list/named-list';
import { mayWriteSchema } from '../session/role';
import { useSession } from '../session/session-context';
import { LoadProblem } from '../shell/load-problem';
import { Page } from '../shell/page';
import { text } from '../text/text';
import { workspacesText } from '../text/workspaces-text';
import { DeleteWorkspace } from './delete-workspace';
import { FirstStepsPanel } from './first-steps/first-steps-panel';
import { useFirstSteps } from './first-steps/use-first-steps';
import { renameWorkspace, workspaceQuery } from './workspace-calls';

const ImportDialog = lazy(() => import('../datagrids/import/import-dialog'));

type Open =
  | { readonly kind: 'new' | 'rename' | 'delete' }
  | { readonly kind: 'import'; readonly file?: File }
  | { readonly kind: 'rename-datagrid' | 'delete-datagrid'; readonly of: ListedDatagrid };

/** Columns may be large, and this page only counts datagrids. */
const WITHOUT_COLUMNS = { omitColumns: 'true' };

const { workspace: t, columns } = workspacesText;

const CRUMBS = <Crumbs way={[{ name: text.frame.workspaces, to: '/workspaces' }]} />;

/** The datagrids of one workspace. */
export function WorkspacePage(): ReactNode {
  const { workspaceId = '' } = useParams();
  const { role } = useSession().user;
  const mayWrite = mayWriteSchema(role);
  const { data: workspace, error, refetch } = useQuery(workspaceQuery(workspaceId));
  const [open, setOpen] = useState<Open>();
  const navigate = useNavigate();
  const { steps, dismiss } = useFirstSteps();
  const datagrids = { path: `/workspaces/${workspaceId}/datagrids`, query: WITHOUT_COLUMNS };
  // An empty list has the buttons itself.
  const isEmpty = useIsEmpty(datagrids);
  const close = (): void => {
    setOpen(undefined);
  };
  if (!workspace) {
    return (
      <Page title={t.title} above={CRUMBS}>
        {error ? <LoadProblem error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Page>
    );
  }
  const listed: readonly TableColumn<ListedDatagrid>[] = [
    {
      title: columns.name,
      cell: ({ id, name, description }) => (
        <ItemName name={name} to={`/datagrids/${id}`} description={description} />
      ),
    },
    { title: columns.rows, isNumber: true, cell: ({ rowCount }) => rowCount.toLocaleString() },
    {
      title: columns.columns,
      isNumber: true,
      isWide: true,
      cell: ({ columnCount }) => columnCount.toLocaleString(),
    },
    { title: columns.changed, isWide: true, cell: ({ updatedAt }) => <When iso={updatedAt} /> },
    {
      title: columns.actions,
      isActions: true,
      cell: (datagrid) =>
        mayWrite && (
          <ItemMenu label={workspacesText.actionsFor(datagrid.name)}>
            <Menu.Item
              onClick={() => {
                setOpen({ kind: 'rename-datagrid', of: datagrid });
              }}
            >
              {text.actions.rename}
            </Menu.Item>
            <Menu.Item
              c={DANGER}
              onClick={() => {
                setOpen({ kind: 'delete-datagrid', of: datagrid });
              }}
            >
              {text.actions.delete}
            </Menu.Item>
          </ItemMenu>
        ),
    },
  ];
  const fromFile = (
    <Button
      variant="default"
      onClick={() => {
        setOpen({ kind: 'import' });
      }}
    >
      {t.createFromFile}
    </Button>
  );
  return (
    <Page
      title={workspace.name}
      above={CRUMBS}
      intro={workspace.description}
      actions={
        mayWrite && (
          <>
            {!isEmpty && fromFile}
            {!isEmpty && (
              <Button
                onClick={() => {
                  setOpen({ kind: 'new' });
                }}
              >
                {t.create}
              </Button>
            )}
            <ItemMenu label={t.actions}>
              <Menu.Item
                onClick={() => {
                  setOpen({ kind: 'rename' });
                }}
              >
                {text.actions.rename}
              </Menu.Item>
              <Menu.Item
                c={DANGER}
                onClick={() => {
                  setOpen({ kind: 'delete' });
                }}
              >
                {text.actions.delete}
              </Menu.Item>
            </ItemMenu>
          </>
        )
      }
    >
      {steps && (
        <FirstStepsPanel
          steps={steps}
          onWorkspace={null}
          onDatagrid={
            <Group gap="xs" mt="xs">
              <Button
                size="xs"
                onClick={() => {
                  setOpen({ kind: 'new' });
                }}
              >
                {workspacesText.firstSteps.createDatagrid}
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  setOpen({ kind: 'import' });
                }}
              >
                {workspacesText.firstSteps.importFile}
              </Button>
            </Group>
          }
          onDismiss={dismiss}
        />
      )}
      <NamedList<ListedDatagrid>
        {...datagrids}
        what="datagrids"
        empty={
          // The first steps create a datagrid.
          steps?.datagrid !== null && (
            <EmptyState
              title={t.none}
              action={
                mayWrite && (
                  <Group justify="center" gap="sm">
                    <Button
                      onClick={() => {
                        setOpen({ kind: 'new' });
                      }}
                    >
                      {t.createFirst}
                    </Button>
                    {fromFile}
                  </Group>
                )
              }
            >
              {t.noneHint}
            </EmptyState>
          )
        }
        columns={listed}
      />
      {mayWrite && !open && (
        <FileDrop
          hint={t.drop}
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
          title={t.createTitle}
          submitLabel={text.actions.create}
          onClose={close}
          onSave={async (body, key) => {
            const { id } = await createDatagrid(workspaceId, body, key);
            await navigate(`/datagrids/${id}`);
          }}
        />
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title={workspacesText.renameTitle(workspace.name)}
          submitLabel={text.actions.save}
          initial={workspace}
          onClose={close}
          onSave={({ name, description }) => renameWorkspace(workspaceId, { name, description })}
        />
      )}
      {open?.kind === 'rename-datagrid' && (
        <NameDialog
          title={workspacesText.renameTitle(open.of.name)}
          submitLabel={text.actions.save}
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
