import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { datagridQuery } from '../datagrids/datagrid-calls';
import { Crumbs } from '../list/crumbs';
import { InWorkspace } from '../session/in-workspace';
import { LoadProblem } from '../shell/load-problem';
import { Page } from '../shell/page';
import '../list/list.css';
import { gridText } from '../text/grid-text';
import { comparesLinkedRows } from './query/filter/grid-view';
import { withSources } from './query/filter/linked-columns';
import { useFilterColumns } from './query/filter/use-filter-columns';
import { VIEW_PARAMETER } from './views/use-grid-view';
import { LinkTitlesProvider } from './cells/links/link-titles-provider';
import { GridScreen } from './grid-screen';
import { viewsQuery } from './views/view-calls';

const t = gridText.page;

/** One datagrid. */
export default function GridPage(): ReactNode {
  const { datagridId = '' } = useParams();
  const { data: datagrid, error, refetch } = useQuery(datagridQuery(datagridId));
  const filter = useFilterColumns(datagrid?.columns);
  const shown = useMemo(
    () => datagrid && { ...datagrid, columns: withSources(datagrid.columns, filter.columns) },
    [datagrid, filter.columns],
  );
  const views = useQuery(viewsQuery(datagridId));
  const [search] = useSearchParams();
  const hasView = search.has(VIEW_PARAMETER);
  const isKnown = filter.isComplete || !comparesLinkedRows(search);
  // The rows are loaded once their filter is known.
  if (shown && (!hasView || views.data) && isKnown) {
    return (
      <InWorkspace workspaceId={shown.workspaceId}>
        <LinkTitlesProvider key={datagridId} datagrid={shown}>
          <GridScreen datagrid={shown} filterColumns={filter.columns} views={views.data ?? []} />
        </LinkTitlesProvider>
      </InWorkspace>
    );
  }
  if (datagrid && views.error) {
    return (
      <Page title={datagrid.name}>
        <Problem
          error={views.error}
          title={gridText.views.failed}
          onRetry={() => void views.refetch()}
        />
      </Page>
    );
  }
  return (
    <Page title={t.title} above={<Crumbs way={[{ name: t.workspaces, to: '/workspaces' }]} />}>
      {error ? <LoadProblem error={error} onRetry={() => void refetch()} /> : <Loading />}
    </Page>
  );
}
