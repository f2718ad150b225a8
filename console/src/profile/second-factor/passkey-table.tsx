import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable, type TableColumn } from '../../common/data-table';
import { When } from '../../common/when';
import type { Passkey } from '../../session/factors-query';
import { profileText } from '../../text/profile-text';

const t = profileText.secondFactor.passkeys;

export interface PasskeyTableProps {
  readonly passkeys: readonly Passkey[];
  readonly onRemove: (passkey: Passkey) => void;
}

/** The passkeys of the user as a table. */
export function PasskeyTable({ passkeys, onRemove }: PasskeyTableProps): ReactNode {
  const columns: readonly TableColumn<Passkey>[] = [
    { title: t.name, cell: ({ name }) => name },
    { title: t.created, isTime: true, cell: ({ createdAt }) => <When iso={createdAt} /> },
    {
      title: t.lastUsed,
      isTime: true,
      isWide: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.never : <When iso={lastUsedAt} />),
    },
    {
      title: profileText.sessions.actions,
      isActions: true,
      cell: (passkey) => (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={t.removeOf(passkey.name)}
          onClick={() => {
            onRemove(passkey);
          }}
        >
          {t.remove}
        </Button>
      ),
    },
  ];
  return <DataTable label={t.label} columns={columns} items={passkeys} idOf={({ id }) => id} />;
}
