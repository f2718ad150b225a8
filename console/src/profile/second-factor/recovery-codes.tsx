import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyField } from '../../common/copy-field';
import { profileText } from '../../text/profile-text';

const t = profileText.secondFactor;

export interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Shows new recovery codes, once. */
export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps): ReactNode {
  return (
    <Stack>
      <Alert color="yellow" title={t.once}>
        {t.onceHint}
      </Alert>
      <CopyField label={t.recoveryCodes} text={codes.join('\n')} copyLabel={t.copyCodes} />
      <Group justify="flex-end">
        <Button autoFocus onClick={onClose}>
          {t.done}
        </Button>
      </Group>
    </Stack>
  );
}
