import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { NewApiKey } from '../../api/types';
import { CopyField } from '../../common/copy-field';
import { Dialog } from '../../common/dialog';
import { quoted } from '../../text/words';
import { exampleCurl, readableDatagridQuery } from '../../list/example-call';
import { profileText } from '../../text/profile-text';

const t = profileText.shownKey;

export interface ShownKeyProps {
  readonly apiKey: NewApiKey;
  /** Additional text. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** Shows a new key, once. Closes only with its button, not with Escape or a click outside. */
export function ShownKey({ apiKey, children, onClose }: ShownKeyProps): ReactNode {
  const { data: datagrid, isPending } = useQuery(readableDatagridQuery(apiKey));
  return (
    <Dialog title={t.title} isOpen isFirm onClose={onClose}>
      <Stack>
        <Alert color="yellow" title={t.once}>
          {t.onceHint}
        </Alert>
        <CopyField label={t.key(quoted(apiKey.name))} text={apiKey.key} copyLabel={t.copy} />
        {!isPending && (
          <CopyField
            label={datagrid ? t.exampleOf(quoted(datagrid.name)) : t.example}
            text={exampleCurl(apiKey.key, datagrid?.id)}
            copyLabel={t.copyExample}
          />
        )}
        {children && <Text size="sm">{children}</Text>}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
