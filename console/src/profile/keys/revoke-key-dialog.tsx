import type { ReactNode } from 'react';
import { request } from '../../api/client';
import type { ApiKey } from '../../api/types';
import { Confirm } from '../../common/confirm';
import { quoted } from '../../text/words';
import { reloadKeys } from '../../session/keys-query';
import { profileText } from '../../text/profile-text';

const t = profileText.revokeKey;

export interface KeyDialogProps {
  readonly apiKey: ApiKey;
  /** Path of the list that has the key. */
  readonly path: string;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ apiKey, path, onClose }: KeyDialogProps): ReactNode {
  return (
    <Confirm
      title={t.title(quoted(apiKey.name))}
      message={t.hint(`${apiKey.prefix}…${apiKey.lastFour}`)}
      submitLabel={t.submit}
      onClose={onClose}
      onConfirm={async () => {
        await request('DELETE', `${path}/${apiKey.id}`);
        await reloadKeys();
      }}
    />
  );
}
