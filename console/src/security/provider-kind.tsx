import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyField } from '../common/copy-field';
import { Dialog } from '../common/dialog';
import { samlText } from '../text/saml-text';
import type { Provider } from './providers-query';

const t = samlText.kind;

export interface ProviderKindDialogProps {
  readonly onChoose: (protocol: Provider['kind']) => void;
  readonly onClose: () => void;
}

/** Asks which protocol a new provider speaks. */
export function ProviderKindDialog({ onChoose, onClose }: ProviderKindDialogProps): ReactNode {
  return (
    <Dialog title={t.title} isOpen isShort onClose={onClose}>
      <Stack>
        <Text>{t.hint}</Text>
        {(['openid', 'saml'] as const).map((protocol) => (
          <Button
            key={protocol}
            variant="default"
            onClick={() => {
              onChoose(protocol);
            }}
          >
            {t[protocol]}
          </Button>
        ))}
      </Stack>
    </Dialog>
  );
}

/** What the administrator of a SAML provider must enter. */
export function SamlAddresses({ provider }: { readonly provider: Provider }): ReactNode {
  const { entityId, redirectUri } = provider;
  return (
    <>
      <CopyField
        label={samlText.entityId}
        text={entityId ?? ''}
        copyLabel={samlText.copyEntityId}
      />
      <CopyField label={samlText.acsUrl} text={redirectUri} copyLabel={samlText.copyAcsUrl} />
    </>
  );
}
