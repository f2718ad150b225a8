import { Checkbox, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formErrors } from '../../../common/field-errors';
import { Form } from '../../../common/form';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import { DELETIONS, frequencyOf } from '../connection';
import { placeOf } from '../destinations';
import { createBody, type Draft } from '../draft';
import { StepHeading } from './step-heading';
import { TablePreview } from './table-preview';
import '../../facts.css';

const { wizard: t, facts } = connectionsText;

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
      <StepHeading>{t.reviewTitle}</StepHeading>
      <Form
        submitLabel={draft.enabled ? t.create : t.createPaused}
        isPending={isPending}
        error={error}
        problem={formErrors(error, []).rest}
        cancelLabel={text.actions.back}
        onCancel={onBack}
        onSubmit={onCreate}
      >
        <Text component="dl" size="sm" className="facts">
          <dt>{facts.name}</dt>
          <dd>{body.name}</dd>
          <dt>{facts.destination}</dt>
          <dd>{placeOf(body.type, body.settings)}</dd>
          <dt>{facts.deletions}</dt>
          <dd>{DELETIONS[body.deletions].fact}</dd>
          <dt>{facts.frequency}</dt>
          <dd>{frequencyOf(body)}</dd>
        </Text>
        {draft.copiesNone ? (
          <Text size="sm">{t.copiesNone}</Text>
        ) : (
          <TablePreview
            workspaceId={workspaceId}
            datagridIds={body.datagridIds}
            deletions={body.deletions}
          />
        )}
        <Checkbox
          label={t.start}
          description={t.startHint}
          checked={draft.enabled}
          onChange={({ currentTarget }) => {
            onChange({ enabled: currentTarget.checked });
          }}
        />
      </Form>
    </>
  );
}
