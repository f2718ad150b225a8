import { Alert } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router';
import { isApiError } from '../../../api/api-error';
import { AttemptKey } from '../../../api/attempt-key';
import { Crumbs } from '../../../list/crumbs';
import { mayManageConnections } from '../../../session/role';
import { useSession } from '../../../session/session-context';
import { Page } from '../../../shell/page';
import { connectionsText } from '../../../text/connections-text';
import { text } from '../../../text/text';
import { workspaceQuery } from '../../workspace-calls';
import { createConnection, reloadConnections } from '../connection-calls';
import { createBody, stepOf, STEPS, type Draft, type Step } from '../draft';
import { DestinationStep } from './destination-step';
import { ReviewStep } from './review-step';
import { SettingsStep, type Tested } from './settings-step';
import { SyncStep } from './sync-step';
import '../connections.css';

const t = connectionsText.wizard;

/** Creates a connection, in four steps. */
export function WizardPage(): ReactNode {
  const { workspaceId = '' } = useParams();
  const mayManage = mayManageConnections(useSession().user.role);
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const path = `/workspaces/${workspaceId}`;
  return (
    <Page
      title={t.title}
      above={
        <Crumbs
          way={[
            { name: text.frame.workspaces, to: '/workspaces' },
            { name: workspace?.name ?? text.frame.workspace, to: path },
            { name: connectionsText.page.connections, to: `${path}/connections` },
          ]}
        />
      }
    >
      {mayManage ? (
        <Wizard workspaceId={workspaceId} />
      ) : (
        <Alert color="yellow">{connectionsText.forbidden}</Alert>
      )}
    </Page>
  );
}

/** Lists the steps of the wizard, and marks the current one. */
function StepList({ current }: { readonly current: Step }): ReactNode {
  const index = STEPS.findIndex(({ id }) => id === current);
  return (
    <nav aria-label={t.label}>
      <ol className="wizard-steps">
        {STEPS.map(({ id, title }, number) => (
          <li
            key={id}
            aria-current={id === current ? 'step' : undefined}
            data-done={number < index || undefined}
          >
            {title}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Wizard({ workspaceId }: { readonly workspaceId: string }): ReactNode {
  const navigate = useNavigate();
  const [step, setStep] = useState<Step>('destination');
  const [draft, setDraft] = useState<Draft>();
  const [attempt] = useState(() => new AttemptKey());
  // A result belongs to the settings that were tested.
  const [tested, setTested] = useState<Tested>();
  const create = useMutation({
    mutationFn: async (body: ReturnType<typeof createBody>) =>
      attempt.use(JSON.stringify(body), (key) => createConnection(workspaceId, body, key)),
    onSuccess: async ({ id }) => {
      await reloadConnections(workspaceId);
      await navigate(`/workspaces/${workspaceId}/connections/${id}`);
    },
    onError: (error) => {
      const fields = isApiError(error) ? error.details.map(({ field }) => field) : [];
      setStep(stepOf(fields));
    },
  });
  const show = (next: Step) => (): void => {
    create.reset();
    setStep(next);
  };
  const change = (values: Partial<Draft>): void => {
    setDraft((before) => before && { ...before, ...values });
  };
  const index = STEPS.findIndex(({ id }) => id === step);
  const common = { workspaceId, error: create.error, onChange: change };
  return (
    <div className="wizard">
      <StepList current={step} />
      <section aria-label={STEPS[index]?.title} className="wizard-step">
        {(step === 'destination' || !draft) && (
          <DestinationStep
            draft={draft}
            error={create.error}
            onCancel={() => void navigate(`/workspaces/${workspaceId}/connections`)}
            onChoose={(next) => {
              setDraft(next);
              show('settings')();
            }}
          />
        )}
        {step === 'settings' && draft && (
          <SettingsStep
            {...common}
            draft={draft}
            tested={tested}
            onTested={setTested}
            onBack={show('destination')}
            onNext={show('sync')}
          />
        )}
        {step === 'sync' && draft && (
          <SyncStep {...common} draft={draft} onBack={show('settings')} onNext={show('review')} />
        )}
        {step === 'review' && draft && (
          <ReviewStep
            {...common}
            draft={draft}
            isPending={create.isPending}
            onBack={show('sync')}
            onCreate={() => {
              create.mutate(createBody(draft));
            }}
          />
        )}
      </section>
    </div>
  );
}
