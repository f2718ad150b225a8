import { Button, CloseButton, Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { workspacesText } from '../../text/workspaces-text';
import { FirstCall } from './first-call';
import { Step } from './step';
import type { FirstSteps } from './use-first-steps';
import './first-steps.css';

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
  const t = workspacesText.firstSteps;
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
