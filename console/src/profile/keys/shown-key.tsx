import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { NewApiKey } from '../../api/types';
import { CopyField } from '../../common/copy-field';
import { Dialog } from '../../common/dialog';
import { curlOf, useFirstDatagrid } from '../../common/example-call';
import { quoted } from '../../common/quoted';

export interface ShownKeyProps {
  readonly title: string;
  readonly apiKey: NewApiKey;
  /** Additional text. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a new key, once. Closes only with its button, not with Escape or a click outside. */
export function ShownKey({ title, apiKey, children, onClose }: ShownKeyProps): ReactNode {
  const { data: datagrid, isPending } = useFirstDatagrid();
  return (
    <Dialog title={title} isOpen isFirm onClose={onClose}>
      <Stack>
        <Alert color="yellow" title="The key is shown only once">
          Put it where it is to be used: the settings of a server, never a web page, an app or a
          repository.
        </Alert>
        <CopyField label={`Key ${quoted(apiKey.name)}`} text={apiKey.key} copyLabel="Copy key" />
        {!isPending && (
          <CopyField
            label={datagrid ? `Read the first rows of ${quoted(datagrid.name)}` : 'Try it'}
            text={curlOf(apiKey.key, datagrid?.id)}
            copyLabel="Copy curl line"
          />
        )}
        {children && <Text size="sm">{children}</Text>}
        <Group justify="flex-end">
          <Button onClick={onClose}>I have stored it</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
