import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataRequest } from '../../api/data';
import type { NewApiKey } from '../../api/types';
import { CopyField } from '../../common/copy-field';
import { Dialog } from '../../common/dialog';
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

/** Returns a call of the user's own data, or of their profile if there is no datagrid. */
function curlOf(key: string, datagridId: string | undefined): string {
  const path = datagridId === undefined ? 'me' : `datagrids/${datagridId}/rows?limit=3`;
  const url = `${window.location.origin}/api/v1/public/${path}`;
  return `curl -H "Authorization: Bearer ${key}" "${url}"`;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A datagrid is looked for in this many workspaces. */
const MAX_WORKSPACES = 5;

/** Finds a datagrid of the account for an example call; `null` if there is none. */
function useFirstDatagrid(): UseQueryResult<Named | null> {
  return useQuery({
    queryKey: ['list', 'first-datagrid'],
    queryFn: async ({ signal }): Promise<Named | null> => {
      const workspaces = await dataRequest<readonly Named[]>('GET', '/workspaces', {
        query: { limit: MAX_WORKSPACES },
        signal,
      });
      for (const { id } of workspaces.data) {
        const { data } = await dataRequest<readonly Named[]>('GET', `/workspaces/${id}/datagrids`, {
          query: { limit: 1, omitColumns: 'true' },
          signal,
        });
        if (data[0]) return data[0];
      }
      return null;
    },
  });
}
