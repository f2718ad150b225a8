import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import './empty-state.css';

export interface EmptyStateProps {
  readonly title: string;
  /** What the list is for. */
  readonly children: ReactNode;
  /** The next step. */
  readonly action?: ReactNode;
}

/** Shown in place of an empty list: what belongs here, and how to begin. */
export function EmptyState({ title, children, action }: EmptyStateProps): ReactNode {
  return (
    <div className="empty-state">
      <svg viewBox="0 0 64 48" width="64" height="48" aria-hidden="true">
        <path className="empty-state-lines" d="M4 5h56v38H4ZM4 16h56M22 5v38M41 5v38M4 29.5h56" />
        <path className="empty-state-cell" d="M22 16h19v13.5H22Z" />
      </svg>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text size="sm" c="dimmed" maw="34rem">
        {children}
      </Text>
      {action}
    </div>
  );
}
