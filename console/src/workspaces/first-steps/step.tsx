import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { StartIcon } from '../../shell/icons';
import { workspacesText } from '../../text/workspaces-text';

export interface StepProps {
  readonly title: string;
  readonly hint: string;
  readonly isDone: boolean;
  /** True if the content stays after the step is done. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** One of the first steps, with its number or a tick. */
export function Step({ title, hint, isDone, isOpen = false, children }: StepProps): ReactNode {
  return (
    <li className={isDone ? 'first-step is-done' : 'first-step'}>
      <span className="first-step-mark">{isDone && <StartIcon />}</span>
      <div className="first-step-content">
        <Text fw={550}>
          {title}
          {isDone && <span className="visually-hidden"> ({workspacesText.firstSteps.isDone})</span>}
        </Text>
        {!isDone && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
        {(!isDone || isOpen) && children}
      </div>
    </li>
  );
}
