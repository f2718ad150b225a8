import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import './list.css';

export interface ItemNameProps {
  readonly name: string;
  /** Page of the item, if it has one. */
  readonly to?: string;
  readonly description?: string | undefined;
}

/** First cell of a table: the name, which links to the page of the item, and its description. */
export function ItemName({ name, to, description }: ItemNameProps): ReactNode {
  return (
    <div className="list-item-text">
      {to === undefined ? (
        <Text span inherit fw={550}>
          {name}
        </Text>
      ) : (
        <Anchor component={Link} to={to} inherit fw={550}>
          {name}
        </Anchor>
      )}
      {description && (
        <Text size="xs" c="dimmed" lineClamp={1} title={description}>
          {description}
        </Text>
      )}
    </div>
  );
}
