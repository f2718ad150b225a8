import { Alert, Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { When } from '../../common/when';
import { datagridNamesQuery } from '../datagrid-names';
import '../facts.css';
import { EVENTS, problemOf, type Webhook } from './webhook';

const LABELS = new Map(EVENTS.map(({ type, label }) => [type, label]));

/** Problem of a webhook, if it has one. */
export function WebhookProblem({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const problem = problemOf(webhook);
  if (problem === null) return null;
  const isFailing = webhook.status === 'failing' || webhook.disabledReason !== 'user';
  return (
    <Alert mb="lg" color={isFailing ? 'red' : 'yellow'} title={titleOf(webhook)}>
      {problem}
    </Alert>
  );
}

const titleOf = ({ status }: Webhook): string =>
  status === 'disabled' ? 'This webhook is disabled' : 'Deliveries fail';

export interface WebhookFactsProps {
  readonly workspaceId: string;
  readonly webhook: Webhook;
}

/** Health and settings of a webhook. */
export function WebhookFacts({ workspaceId, webhook }: WebhookFactsProps): ReactNode {
  const { data: datagrids } = useQuery(datagridNamesQuery(workspaceId));
  const { lastSuccessAt, lastErrorAt, lastError, oldestUndeliveredAt, createdAt } = webhook;
  const { url, events, datagridIds, filter, payload } = webhook;
  const isAll = events.length === EVENTS.length;
  return (
    <Text component="dl" size="sm" className="facts">
      <dt>Last success</dt>
      <dd>{lastSuccessAt ? <When iso={lastSuccessAt} /> : 'Never'}</dd>
      <dt>Last error</dt>
      <dd>
        {lastErrorAt ? (
          <>
            <When iso={lastErrorAt} />: {lastError}
          </>
        ) : (
          'Never'
        )}
      </dd>
      <dt>Oldest undelivered change</dt>
      <dd>{oldestUndeliveredAt ? <When iso={oldestUndeliveredAt} /> : 'None'}</dd>
      <dt>URL</dt>
      <dd>{url}</dd>
      <dt>Events</dt>
      <dd>{isAll ? 'All' : events.map((type) => LABELS.get(type) ?? type).join(', ')}</dd>
      <dt>Datagrids</dt>
      <dd>
        {datagridIds === null
          ? 'All of this workspace'
          : datagridIds.map((id) => datagrids?.names.get(id) ?? id).join(', ')}
      </dd>
      {filter !== null && (
        <>
          <dt>Filter</dt>
          <dd>
            <Code>{JSON.stringify(filter)}</Code>
          </dd>
        </>
      )}
      <dt>Content</dt>
      <dd>{payload === 'full' ? 'Rows with their values' : 'Only the ids of the rows'}</dd>
      <dt>Created</dt>
      <dd>
        <When iso={createdAt} />
      </dd>
    </Text>
  );
}
