import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formErrors } from '../../../common/field-errors';
import { Form } from '../../../common/form';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import type { TestResult as Result } from '../connection';
import { testSettings } from '../connection-calls';
import { fieldNames, testBody, type Draft } from '../draft';
import { SettingsFields } from '../settings-fields';
import { TestResult } from '../test-result';
import { StepHeading } from './step-heading';

const t = connectionsText.wizard;

/** The result of a test, and the body that was sent. */
export interface Tested {
  readonly of: string;
  readonly result: Result;
}

export interface SettingsStepProps {
  readonly workspaceId: string;
  readonly draft: Draft;
  /** Error of the creation. */
  readonly error: unknown;
  readonly tested: Tested | undefined;
  readonly onTested: (tested: Tested) => void;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onBack: () => void;
  readonly onNext: () => void;
}

/** The settings of the destination. The next step follows a test of them. */
export function SettingsStep(props: SettingsStepProps): ReactNode {
  const { workspaceId, draft, tested, onTested, onChange, onBack, onNext } = props;
  const test = useMutation({
    mutationFn: async () => {
      const body = testBody(draft);
      onTested({ of: JSON.stringify(body), result: await testSettings(workspaceId, body) });
    },
  });
  const error = test.error ?? props.error;
  const { fields, rest } = formErrors<string>(error, fieldNames(draft.destination));
  const result = tested?.of === JSON.stringify(testBody(draft)) ? tested.result : undefined;
  return (
    <>
      <StepHeading isQuiet={Boolean(props.error)}>
        {t.settingsTitle(draft.destination.label)}
      </StepHeading>
      <Form
        submitLabel={result?.ok ? text.actions.next : t.test}
        isPending={test.isPending}
        error={error}
        problem={rest}
        cancelLabel={text.actions.back}
        onCancel={onBack}
        onSubmit={() => {
          if (result?.ok) onNext();
          else test.mutate();
        }}
      >
        <SettingsFields draft={draft} errors={fields} onChange={onChange} />
        {result && !test.isPending && <TestResult result={result} />}
        {result?.ok === false && (
          <Group>
            <Button variant="default" size="xs" onClick={onNext}>
              {t.skipTest}
            </Button>
          </Group>
        )}
      </Form>
    </>
  );
}
