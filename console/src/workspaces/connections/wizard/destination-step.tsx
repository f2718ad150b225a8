import { Radio, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { formErrors } from '../../../common/field-errors';
import { Form } from '../../../common/form';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import { DESTINATIONS } from '../destinations';
import { newDraft, type Draft } from '../draft';
import { StepHeading } from './step-heading';

const t = connectionsText.wizard;

export interface DestinationStepProps {
  readonly draft: Draft | undefined;
  readonly error: unknown;
  readonly onCancel: () => void;
  readonly onChoose: (draft: Draft) => void;
}

/** Chooses the type of the destination. */
export function DestinationStep({ draft, error, ...on }: DestinationStepProps): ReactNode {
  const [type, setType] = useState(draft?.destination.type ?? '');
  const [isMissing, setIsMissing] = useState(false);
  const { fields, rest } = formErrors(error, ['type']);
  return (
    <>
      {/* The first step follows the heading of the page, which has the focus. */}
      <StepHeading isQuiet={!draft || Boolean(error)}>{t.chooseTitle}</StepHeading>
      <Form
        submitLabel={text.actions.next}
        isPending={false}
        error={error}
        problem={rest}
        onCancel={on.onCancel}
        onSubmit={() => {
          const destination = DESTINATIONS.find((one) => one.type === type);
          setIsMissing(!destination);
          // The settings stay if the user comes back without another choice.
          if (destination)
            on.onChoose(draft?.destination === destination ? draft : newDraft(destination));
        }}
      >
        <Radio.Group
          label={t.type}
          description={t.typeHint}
          value={type}
          error={isMissing ? t.noType : fields.type}
          onChange={setType}
        >
          <Stack gap="sm" mt="xs">
            {DESTINATIONS.map((one) => (
              <Radio key={one.type} value={one.type} label={one.label} description={one.summary} />
            ))}
          </Stack>
        </Radio.Group>
      </Form>
    </>
  );
}
