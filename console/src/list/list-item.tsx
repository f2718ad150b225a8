import { Anchor, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

export interface ListItemProps {
  readonly name: string;
  /** Target of the name, if it is a link. */
  readonly to?: string;
  readonly description?: string;
  /** A line of details. */
  readonly facts: ReactNode;
  readonly actions?: ReactNode;
}

export function ListItem({ name, to, description, facts, actions }: ListItemProps): ReactNode {
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div className="list-item-text">
        {to === undefined ? (
          <Text fw={600}>{name}</Text>
        ) : (
          <Anchor component={Link} to={to} fw={600}>
            {name}
          </Anchor>
        )}
        {description && (
          <Text size="sm" lineClamp={2}>
            {description}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {facts}
        </Text>
      </div>
      {actions}
    </Group>
  );
}
