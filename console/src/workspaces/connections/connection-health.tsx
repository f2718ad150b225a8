import { Alert, Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Parts } from '../../common/parts';
import { When } from '../../common/when';
import { connectionsText } from '../../text/connections-text';
import { datagridNamesQuery } from '../../datagrids/datagrid-names';
import { DELETIONS, frequencyOf, type Connection } from './connection';
import { tablesQuery } from './connection-calls';
import { findDestination } from './destinations';
import { lagOf, lagText } from './progress';
import '../facts.css';

const { facts: t, problems } = connectionsText;

/** What is wrong with a connection, if anything is. */
export function ConnectionProblem({ connection }: { readonly connection: Connection }): ReactNode {
  const { status, failingTables, lastError, lastErrorAt } = connection;
  if (status === 'paused') {
    return (
      <Alert mb="lg" color="yellow" title={problems.paused}>
        {problems.pausedHint}
      </Alert>
    );
  }
  if (status !== 'failing') return null;
  return (
    <Alert mb="lg" color="red" title={problems.failing(failingTables)}>
      <Parts
        of={problems.failingHint(lastErrorAt && <When iso={lastErrorAt} />, lastError ?? '')}
      />
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
  const lag = data && data.tables.length > 0 ? lagOf(data.tables) : undefined;
  const destination = findDestination(type);
  const labels = new Map(destination?.fields.map(({ name, label }) => [name, label]));
  return (
    <Text component="dl" size="sm" className="facts">
      <dt>{t.lag}</dt>
      <dd>{lag === undefined ? '–' : lagText(lag)}</dd>
      {lag !== 0 && (
        <>
          <dt>{t.lastSync}</dt>
          <dd>{syncedAt ? <When iso={syncedAt} /> : notSynced(connection)}</dd>
        </>
      )}
      <dt>{t.destination}</dt>
      <dd>{destination?.label ?? type}</dd>
      {Object.entries(settings).map(([name, value]) => (
        <Setting key={name} label={labels.get(name) ?? name} value={value} />
      ))}
      {destination?.secret && (
        <>
          <dt>{destination.secret.label}</dt>
          <dd>{hasSecret ? t.saved : t.none}</dd>
        </>
      )}
      <dt>{t.datagrids}</dt>
      <dd>
        {datagridIds === null
          ? t.allDatagrids
          : datagridIds.map((id) => datagrids?.names.get(id) ?? id).join(', ') || t.noDatagrids}
      </dd>
      <dt>{t.deletions}</dt>
      <dd>{DELETIONS[deletions].fact}</dd>
      <dt>{t.frequency}</dt>
      <dd>{frequencyOf(connection)}</dd>
      <dt>{t.created}</dt>
      <dd>
        <When iso={createdAt} />
      </dd>
    </Text>
  );
}

const notSynced = ({ tables }: Connection): string => (tables === 0 ? '–' : t.notSynced);

function Setting({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode {
  if (value === null) return null;
  const isLong = typeof value === 'string' && value.includes('\n');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {isLong && <Code block>{text}</Code>}
        {!isLong && (typeof value === 'boolean' ? (value ? t.yes : t.no) : text)}
      </dd>
    </>
  );
}
