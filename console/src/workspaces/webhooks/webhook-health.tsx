import { Alert, Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { When } from '../../common/when';
import { webhooksText } from '../../text/webhooks-text';
import { datagridNamesQuery } from '../../datagrids/datagrid-names';
import '../facts.css';
import { EVENTS, problemOf, type Webhook } from './webhook';

const t = webhooksText.facts;

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
  status === 'disabled' ? webhooksText.problems.disabled : webhooksText.problems.failing;

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
      <dt>{t.lastSuccess}</dt>
      <dd>{lastSuccessAt ? <When iso={lastSuccessAt} /> : t.never}</dd>
      <dt>{t.lastError}</dt>
      <dd>
        {lastErrorAt ? (
          <>
            <When iso={lastErrorAt} />: {lastError}
          </>
        ) : (
          t.never
        )}
      </dd>
      <dt>{t.oldest}</dt>
      <dd>{oldestUndeliveredAt ? <When iso={oldestUndeliveredAt} /> : t.none}</dd>
      <dt>{t.url}</dt>
      <dd>{url}</dd>
      <dt>{t.events}</dt>
      <dd>{isAll ? t.allEvents : events.map((type) => LABELS.get(type) ?? type).join(', ')}</dd>
      <dt>{t.datagrids}</dt>
      <dd>
        {datagridIds === null
          ? t.allDatagrids
          : datagridIds.map((id) => datagrids?.names.get(id) ?? id).join(', ')}
      </dd>
      {filter !== null && (
        <>
          <dt>{t.filter}</dt>
          <dd>
            <Code>{JSON.stringify(filter)}</Code>
          </dd>
        </>
      )}
      <dt>{t.content}</dt>
      <dd>{webhooksText.payloads[payload]}</dd>
      <dt>{t.created}</dt>
      <dd>
        <When iso={createdAt} />
      </dd>
    </Text>
  );
}
