import { Checkbox, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formErrors } from '../../../common/field-errors';
import { Form } from '../../../common/form';
import { DELETIONS, frequencyOf } from '../connection';
import { placeOf } from '../destinations';
import { createBody, type Draft } from '../draft';
import { StepHeading } from './step-heading';
import { TablePreview } from './table-preview';
import '../../facts.css';

export interface ReviewStepProps {
  readonly workspaceId: string;
  readonly draft: Draft;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onBack: () => void;
  readonly onCreate: () => void;
}

/** Shows what the connection will do, and creates it. */
export function ReviewStep(props: ReviewStepProps): ReactNode {
  const { workspaceId, draft, error, isPending, onChange, onBack, onCreate } = props;
  const body = createBody(draft);
  return (
    <>
      <StepHeading>Review and start</StepHeading>
      <Form
        submitLabel={draft.enabled ? 'Start the connection' : 'Create it paused'}
        isPending={isPending}
        error={error}
        problem={formErrors(error, []).rest}
        cancelLabel="Back"
        onCancel={onBack}
        onSubmit={onCreate}
      >
        <Text component="dl" size="sm" className="facts">
          <dt>Name</dt>
          <dd>{body.name}</dd>
          <dt>Destination</dt>
          <dd>{placeOf(body.type, body.settings)}</dd>
          <dt>Deleted rows</dt>
          <dd>{DELETIONS[body.deletions].fact}</dd>
          <dt>How often</dt>
          <dd>{frequencyOf(body)}</dd>
        </Text>
        {draft.copiesNone ? (
          <Text size="sm">
            No datagrid is copied. Add scheduled imports on the page of the connection.
          </Text>
        ) : (
          <TablePreview
            workspaceId={workspaceId}
            datagridIds={body.datagridIds}
            deletions={body.deletions}
          />
        )}
        <Checkbox
          label="Start at once"
          description="To choose names of tables or leave out columns first, create the connection paused. You can resume it on its page."
          checked={draft.enabled}
          onChange={({ currentTarget }) => {
            onChange({ enabled: currentTarget.checked });
          }}
        />
      </Form>
    </>
  );
}
