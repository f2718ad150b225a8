import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

export type Tone = 'good' | 'bad' | 'neutral';

const COLORS: Readonly<Record<Tone, string>> = { good: 'green', bad: 'red', neutral: 'gray' };

export interface StatusBadgeProps {
  readonly label: string;
  readonly tone: Tone;
}

/** Status of an object or of an attempt. */
export function StatusBadge({ label, tone }: StatusBadgeProps): ReactNode {
  return (
    <Badge variant="light" color={COLORS[tone]} className="status-badge">
      {label}
    </Badge>
  );
}
