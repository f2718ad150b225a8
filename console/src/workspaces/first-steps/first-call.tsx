import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState, type ReactNode } from 'react';
import type { NewApiKey } from '../../api/types';
import { CopyField } from '../../common/copy-field';
import { exampleCurl, NO_LIMITS, readableDatagridQuery } from '../../list/example-call';
import { CreateKeyDialog } from '../../profile/keys/key-dialogs';
import { workspacesText } from '../../text/workspaces-text';
import type { FirstSteps } from './use-first-steps';

export interface FirstCallProps {
  readonly steps: FirstSteps;
  readonly datagrid: { readonly id: string; readonly name: string };
}

/** Creates a key, and shows a call of a datagrid that it can read. The key is not kept anywhere. */
export function FirstCall({ steps, datagrid }: FirstCallProps): ReactNode {
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<NewApiKey>();
  const readable = useQuery({
    ...readableDatagridQuery(created ?? NO_LIMITS),
    enabled: created !== undefined,
  });
  const called = created ? readable.data : datagrid;
  const t = workspacesText.firstSteps;
  return (
    <>
      {!created && !steps.hasCalled && (
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
      {(!created || !readable.isPending) && (
        <CopyField
          label={called ? t.callOf(called.name) : t.anyCall}
          text={exampleCurl(created?.key ?? t.yourKey, called?.id)}
          copyLabel={t.copy}
        />
      )}
      {isCreating && (
        <Suspense>
          <CreateKeyDialog
            onCreated={setCreated}
            onClose={() => {
              setIsCreating(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
