import type { ReactNode } from 'react';
import { request } from '../../api/client';
import type { ApiKey } from '../../api/types';
import { Confirm } from '../../common/confirm';
import { quoted } from '../../common/quoted';
import { reloadKeys } from '../../session/keys-query';

export interface KeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps): ReactNode {
  return (
    <Confirm
      title={`Revoke ${quoted(apiKey.name)}?`}
      message={`Requests with ${apiKey.prefix}…${apiKey.lastFour} are rejected at once. This cannot be undone.`}
      submitLabel="Revoke the key"
      onClose={onClose}
      onConfirm={async () => {
        await request('DELETE', `/keys/${apiKey.id}`);
        await reloadKeys();
      }}
    />
  );
}
