import { Badge, Button, Code, Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiKey } from '../../api/types';
import { formatDate } from '../../common/time';
import { When } from '../../common/when';
import { KeyUsage } from './key-usage';
import './keys.css';

export interface KeyItemProps {
  readonly apiKey: ApiKey;
  /** Id of the heading. */
  readonly level: 2 | 3;
  readonly onRevoke: () => void;
  readonly onRotate: () => void;
}

const STATES = {
  active: { label: 'Active', color: 'green' },
  expired: { label: 'Expired', color: 'gray' },
  revoked: { label: 'Revoked', color: 'red' },
} as const;

export function KeyItem({ apiKey, level, onRevoke, onRotate }: KeyItemProps): ReactNode {
  const { name, prefix, lastFour, state } = apiKey;
  return (
    <Paper component="li" withBorder p="md" className="key-item">
      <div>
        <Group gap="xs" mb={4}>
          <Title order={level} size="h5" className="key-name">
            {name}
          </Title>
          <Badge variant="light" color={STATES[state].color}>
            {STATES[state].label}
          </Badge>
        </Group>
        <Code>
          {prefix}…{lastFour}
        </Code>
        <KeyDates apiKey={apiKey} />
        {state === 'active' && (
          <Group gap="xs" mt="sm">
            <Button variant="default" size="xs" onClick={onRotate} aria-label={`Rotate ${name}`}>
              Rotate
            </Button>
            <Button variant="default" size="xs" onClick={onRevoke} aria-label={`Revoke ${name}`}>
              Revoke
            </Button>
          </Group>
        )}
      </div>
      <KeyUsage apiKey={apiKey} />
    </Paper>
  );
}

function KeyDates({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const { createdAt, lastUsedAt, expiresAt, revokedAt } = apiKey;
  return (
    <Text component="dl" size="sm" className="key-dates">
      <dt>Created</dt>
      <dd>{formatDate(createdAt)}</dd>
      <dt>Last used</dt>
      <dd>{lastUsedAt ? <When iso={lastUsedAt} /> : 'Never'}</dd>
      <dt>{revokedAt ? 'Revoked' : 'Expires'}</dt>
      <dd>
        {revokedAt ? <When iso={revokedAt} /> : expiresAt ? <When iso={expiresAt} /> : 'Never'}
      </dd>
    </Text>
  );
}
