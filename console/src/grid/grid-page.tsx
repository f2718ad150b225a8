import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { datagridQuery } from '../datagrids/datagrid-calls';
import { Crumbs } from '../list/crumbs';
import { Page } from '../shell/page';
import '../list/list.css';
import { GridScreen } from './grid-screen';

/** One datagrid. */
export default function GridPage(): ReactNode {
  const { datagridId = '' } = useParams();
  const { data: datagrid, error, refetch } = useQuery(datagridQuery(datagridId));
  if (datagrid) return <GridScreen key={datagridId} datagrid={datagrid} />;
  return (
    <Page title="Datagrid" above={<Crumbs way={[{ name: 'Workspaces', to: '/workspaces' }]} />}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />}
    </Page>
  );
}
