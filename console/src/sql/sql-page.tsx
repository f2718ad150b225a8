import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { IN_MAIN } from '../common/in-main';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { Crumbs } from '../list/crumbs';
import { useSession } from '../session/session-context';
import { LoadProblem } from '../shell/load-problem';
import { Page } from '../shell/page';
import { sqlText } from '../text/sql-text';
import { text } from '../text/text';
import { workspaceQuery } from '../workspaces/workspace-calls';
import { draftKey } from './drafts';
import { savedQueryListQuery, savedQueryQuery } from './sql-calls';
import { StatementPanel } from './statement-panel';
import './sql.css';

/** Parameter of the URL with the id of the open query. */
const QUERY = 'query';

/** Runs SQL over the datagrids of a workspace. The query in the URL is open. */
export default function SqlPage(): ReactNode {
  const { workspaceId = '' } = useParams();
  const { user } = useSession();
  const [search, setSearch] = useSearchParams();
  const queryId = search.get(QUERY);
  const { data: workspace, error, refetch } = useQuery(workspaceQuery(workspaceId));
  const open = useQuery({
    ...savedQueryQuery(workspaceId, queryId ?? ''),
    enabled: queryId !== null,
    // The page keeps the version that it opened, so that a save detects changes of others. It reads
    // another one when it is opened again.
    staleTime: Infinity,
    gcTime: 0,
  });
  const choose = (id: string | null): void => {
    setSearch(id === null ? {} : { [QUERY]: id });
  };
  const chooser = <SavedQueries workspaceId={workspaceId} openId={queryId} onOpen={choose} />;
  const key = draftKey(user.id, workspaceId, queryId);
  const isReady = queryId === null || open.data !== undefined;
  return (
    <Page
      title={sqlText.title}
      above={
        <Crumbs
          way={[
            { name: text.frame.workspaces, to: '/workspaces' },
            { name: workspace?.name ?? text.frame.workspace, to: `/workspaces/${workspaceId}` },
          ]}
        />
      }
      intro={sqlText.intro}
      isFull
    >
      {error && <LoadProblem error={error} onRetry={() => void refetch()} />}
      {!error && !isReady && (
        <>
          {chooser}
          {open.error ? (
            <Problem error={open.error} onRetry={() => void open.refetch()} />
          ) : (
            <Loading />
          )}
        </>
      )}
      {!error && isReady && (
        <StatementPanel
          key={key}
          workspaceId={workspaceId}
          draftKey={key}
          opened={queryId === null ? undefined : open.data}
          chooser={chooser}
          onOpen={choose}
        />
      )}
    </Page>
  );
}

interface SavedQueriesProps {
  readonly workspaceId: string;
  /** The open query; `null` for a statement without a name. */
  readonly openId: string | null;
  readonly onOpen: (id: string | null) => void;
}

/** Chooses one of the queries of the workspace. */
function SavedQueries({ workspaceId, openId, onOpen }: SavedQueriesProps): ReactNode {
  const { data: queries = [] } = useQuery(savedQueryListQuery(workspaceId));
  return (
    <Select
      aria-label={sqlText.saved.choose}
      placeholder={sqlText.saved.create}
      nothingFoundMessage={sqlText.saved.none}
      data={queries.map(({ id, name }) => ({ value: id, label: name }))}
      value={openId}
      onChange={onOpen}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': sqlText.saved.create }}
      comboboxProps={{ portalProps: IN_MAIN }}
      className="sql-queries"
    />
  );
}
