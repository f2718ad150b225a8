import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { NewApiKey } from '../../api/types';
import { CopyField } from '../../common/copy-field';
import { Dialog } from '../../common/dialog';
import { quoted } from '../../common/quoted';
import { exampleCurl, firstObjectsQuery } from '../../list/example-call';

export interface ShownKeyProps {
  readonly title: string;
  readonly apiKey: NewApiKey;
  /** Additional text. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a new key, once. Closes only with its button, not with Escape or a click outside. */
export function ShownKey({ title, apiKey, children, onClose }: ShownKeyProps): ReactNode {
  const { data, isPending } = useQuery(firstObjectsQuery);
  const datagrid = data?.datagrid;
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
            text={exampleCurl(apiKey.key, datagrid?.id)}
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
