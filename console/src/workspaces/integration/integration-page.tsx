import { Alert } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Confirm } from '../../common/confirm';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { Crumbs } from '../../list/crumbs';
import { Page } from '../../shell/page';
import { text } from '../../text/text';
import { workspaceQuery } from '../workspace-calls';

interface IntegrationPageProps<T> {
  readonly workspaceId: string;
  /** The list that the object is in. */
  readonly list: { readonly name: string; readonly path: string };
  /** Title of the page until the object has been read. */
  readonly title: string;
  readonly mayManage: boolean;
  /** Shown to users who may not manage these objects. */
  readonly forbidden: string;
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>;
  /** Returns the page of the object. @param crumbs The way to it, above its title. */
  readonly children: (item: T, crumbs: ReactNode) => ReactNode;
}

/** The page of a webhook or a connection of a workspace. */
export function IntegrationPage<T>({
  workspaceId,
  list,
  title,
  mayManage,
  forbidden,
  query: { data, error, refetch },
  children,
}: IntegrationPageProps<T>): ReactNode {
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const crumbs = (
    <Crumbs
      way={[
        { name: text.frame.workspaces, to: '/workspaces' },
        { name: workspace?.name ?? text.frame.workspace, to: `/workspaces/${workspaceId}` },
        { name: list.name, to: list.path },
      ]}
    />
  );
  if (data) return children(data, crumbs);
  return (
    <Page title={title} above={crumbs}>
      {!mayManage && <Alert color="yellow">{forbidden}</Alert>}
      {mayManage && error && <Problem error={error} onRetry={() => void refetch()} />}
      {mayManage && !error && <Loading />}
    </Page>
  );
}

interface RemovalProps {
  readonly texts: {
    readonly title: (name: string) => string;
    readonly message: string;
    readonly submit: string;
  };
  readonly name: string;
  /** Path of the list, which is shown after the deletion. */
  readonly listPath: string;
  readonly onDelete: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks whether to delete the object of a page. */
export function Removal({ texts, name, listPath, onDelete, onClose }: RemovalProps): ReactNode {
  const navigate = useNavigate();
  return (
    <Confirm
      title={texts.title(name)}
      message={texts.message}
      submitLabel={texts.submit}
      onClose={onClose}
      onConfirm={async () => {
        await onDelete();
        await navigate(listPath);
      }}
    />
  );
}
