import { useState, type ReactNode } from 'react';
import { formErrors } from '../../../common/field-errors';
import { Form } from '../../../common/form';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import { DatagridsField } from '../../datagrids-field';
import { minutesProblem, type Draft } from '../draft';
import { isReadable } from '../imports/scheduled-import';
import { DeletionsField, FrequencyField, noneOf } from '../sync-fields';
import { StepHeading } from './step-heading';

const t = connectionsText.wizard;

export interface SyncStepProps {
  readonly workspaceId: string;
  readonly draft: Draft;
  readonly error: unknown;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onBack: () => void;
  readonly onNext: () => void;
}

/** Chooses the datagrids, and how and how often they are copied. */
export function SyncStep(props: SyncStepProps): ReactNode {
  const { workspaceId, draft, error, onChange, onBack, onNext } = props;
  const [problems, setProblems] = useState<{ datagrids?: string; minutes?: string }>({});
  const { fields, rest } = formErrors(error, ['datagridIds', 'deletions', 'intervalSeconds']);
  return (
    <>
      <StepHeading isQuiet={Boolean(error)}>{t.syncTitle}</StepHeading>
      <Form
        submitLabel={text.actions.next}
        isPending={false}
        error={Object.keys(problems).length > 0 ? problems : error}
        problem={rest}
        cancelLabel={text.actions.back}
        onCancel={onBack}
        onSubmit={() => {
          const minutes = minutesProblem(draft);
          const found = {
            ...(!draft.copiesNone &&
              draft.datagridIds?.length === 0 && { datagrids: t.noDatagrids }),
            ...(minutes !== undefined && { minutes }),
          };
          setProblems(found);
          if (Object.keys(found).length === 0) onNext();
        }}
      >
        <DatagridsField
          workspaceId={workspaceId}
          value={draft.datagridIds}
          error={problems.datagrids ?? fields.datagridIds}
          {...(isReadable(draft.destination.type) && { none: noneOf(draft, onChange) })}
          onChange={(datagridIds) => {
            onChange({ datagridIds });
          }}
        />
        <DeletionsField draft={draft} error={fields.deletions} onChange={onChange} />
        <FrequencyField
          draft={draft}
          error={problems.minutes ?? fields.intervalSeconds}
          onChange={onChange}
        />
      </Form>
    </>
  );
}
