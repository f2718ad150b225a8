import { Button } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { CopyField } from '../../common/copy-field';
import { exampleCurl } from '../../list/example-call';
import { workspacesText } from '../../text/workspaces-text';
import type { FirstSteps } from './use-first-steps';

const CreateKeyDialog = lazy(() => import('../../profile/keys/create-key-dialog'));

export interface FirstCallProps {
  readonly steps: FirstSteps;
  readonly datagrid: { readonly id: string; readonly name: string };
}

/** Creates a key, and shows a call of a datagrid with it. The key is not kept anywhere. */
export function FirstCall({ steps, datagrid }: FirstCallProps): ReactNode {
  const [isCreating, setIsCreating] = useState(false);
  const [key, setKey] = useState<string>();
  const t = workspacesText.firstSteps;
  return (
    <>
      {key === undefined && !steps.hasCalled && (
        <Button
          size="xs"
          my="xs"
          variant={steps.hasKey ? 'default' : 'filled'}
          onClick={() => {
            setIsCreating(true);
          }}
        >
          {t.createKey}
        </Button>
      )}
      <CopyField
        label={t.callOf(datagrid.name)}
        text={exampleCurl(key ?? t.yourKey, datagrid.id)}
        copyLabel={t.copy}
      />
      {isCreating && (
        <Suspense>
          <CreateKeyDialog
            onCreated={setKey}
            onClose={() => {
              setIsCreating(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
