import { Alert, Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { countOf } from '../../common/count-of';
import { When } from '../../common/when';
import { datagridNamesQuery } from '../datagrid-names';
import { DELETIONS, frequencyOf, type Connection } from './connection';
import { tablesQuery } from './connection-calls';
import { findDestination } from './destinations';
import { lagOf, lagText } from './progress';
import '../facts.css';

/** What is wrong with a connection, if anything is. */
export function ConnectionProblem({ connection }: { readonly connection: Connection }): ReactNode {
  const { status, failingTables, lastError, lastErrorAt } = connection;
  if (status === 'paused') {
    return (
      <Alert mb="lg" color="yellow" title="This connection is paused">
        Its tables stay as they are. Once it is resumed, they get the changes since then; after a
        long pause, they are loaded again.
      </Alert>
    );
  }
  if (status !== 'failing') return null;
  return (
    <Alert mb="lg" color="red" title={`${countOf(failingTables, 'table')} cannot be synced`}>
      {lastErrorAt && <When iso={lastErrorAt} />}: {lastError} The sync is repeated by itself.
    </Alert>
  );
}

export interface ConnectionFactsProps {
  readonly workspaceId: string;
  readonly connection: Connection;
}

/** Health and settings of a connection, without its secret. */
export function ConnectionFacts({ workspaceId, connection }: ConnectionFactsProps): ReactNode {
  const { data: datagrids } = useQuery(datagridNamesQuery(workspaceId));
  const { data } = useQuery(tablesQuery({ workspaceId, connectionId: connection.id }));
  const { type, settings, hasSecret, datagridIds, deletions, syncedAt, createdAt } = connection;
  const destination = findDestination(type);
  const labels = new Map(destination?.fields.map(({ name, label }) => [name, label]));
  return (
    <Text component="dl" size="sm" className="facts">
      <dt>Lag</dt>
      <dd>{data && data.tables.length > 0 ? lagText(lagOf(data.tables)) : '–'}</dd>
      <dt>Last sync of all tables</dt>
      <dd>{syncedAt ? <When iso={syncedAt} /> : notSynced(connection)}</dd>
      <dt>Destination</dt>
      <dd>{destination?.label ?? type}</dd>
      {Object.entries(settings).map(([name, value]) => (
        <Setting key={name} label={labels.get(name) ?? name} value={value} />
      ))}
      {destination?.secret && (
        <>
          <dt>{destination.secret.label}</dt>
          <dd>{hasSecret ? 'Saved' : 'None'}</dd>
        </>
      )}
      <dt>Datagrids</dt>
      <dd>
        {datagridIds === null
          ? 'All of this workspace, also future ones'
          : datagridIds.map((id) => datagrids?.names.get(id) ?? id).join(', ') ||
            'None, only scheduled imports'}
      </dd>
      <dt>Deleted rows</dt>
      <dd>{DELETIONS[deletions].fact}</dd>
      <dt>How often</dt>
      <dd>{frequencyOf(connection)}</dd>
      <dt>Created</dt>
      <dd>
        <When iso={createdAt} />
      </dd>
    </Text>
  );
}

const notSynced = ({ tables }: Connection): string =>
  tables === 0 ? '–' : 'Not all tables are loaded yet';

function Setting({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode {
  if (value === null) return null;
  const isLong = typeof value === 'string' && value.includes('\n');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {isLong && <Code block>{text}</Code>}
        {!isLong && (typeof value === 'boolean' ? (value ? 'Yes' : 'No') : text)}
      </dd>
    </>
  );
}
