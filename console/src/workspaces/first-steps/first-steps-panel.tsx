import { Button, CloseButton, Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { StartIcon } from '../../shell/icons';
import { workspacesText } from '../../text/workspaces-text';
import { FirstCall } from './first-call';
import type { FirstSteps } from './use-first-steps';
import './first-steps.css';

const t = workspacesText.firstSteps;

export interface FirstStepsPanelProps {
  readonly steps: FirstSteps;
  /** Button or link of the step that the user can do on this page. */
  readonly onWorkspace: ReactNode;
  readonly onDatagrid: ReactNode;
  readonly onDismiss: () => void;
}

/** The three steps of a first visit, each with a tick once it is done. */
export function FirstStepsPanel(props: FirstStepsPanelProps): ReactNode {
  const { steps, onWorkspace, onDatagrid, onDismiss } = props;
  const { workspace, datagrid, hasCalled } = steps;
  return (
    <Paper component="section" withBorder p="md" mb="lg" aria-labelledby="first-steps">
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <Title order={2} size="h4" id="first-steps">
          {t.title}
        </Title>
        <CloseButton aria-label={t.dismiss} onClick={onDismiss} />
      </Group>
      <ol className="first-steps">
        <Step title={t.workspace} hint={t.workspaceHint} isDone={workspace !== null}>
          {onWorkspace}
        </Step>
        <Step title={t.datagrid} hint={t.datagridHint} isDone={datagrid !== null}>
          {workspace !== null && onDatagrid}
        </Step>
        <Step title={t.call} hint={t.callHint} isDone={datagrid !== null && hasCalled} isOpen>
          {datagrid !== null && <FirstCall steps={steps} datagrid={datagrid} />}
        </Step>
      </ol>
      {datagrid !== null && hasCalled && (
        <Group mt="md" justify="space-between">
          <Text size="sm" role="status">
            {t.done}
          </Text>
          <Button size="xs" variant="default" onClick={onDismiss}>
            {t.close}
          </Button>
        </Group>
      )}
    </Paper>
  );
}

interface StepProps {
  readonly title: string;
  readonly hint: string;
  readonly isDone: boolean;
  /** True if the content stays after the step is done. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** One of the first steps, with its number or a tick. */
function Step({ title, hint, isDone, isOpen = false, children }: StepProps): ReactNode {
  return (
    <li className={isDone ? 'first-step is-done' : 'first-step'}>
      <span className="first-step-mark">{isDone && <StartIcon />}</span>
      <div className="first-step-content">
        <Text fw={550}>
          {title}
          {isDone && <span className="visually-hidden"> ({t.isDone})</span>}
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
