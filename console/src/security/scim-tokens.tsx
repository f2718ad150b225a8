import { Button, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { CopyField } from '../common/copy-field';
import { DataTable, type TableColumn } from '../common/data-table';
import { Dialog } from '../common/dialog';
import { expiresAtOf, type Expiry } from '../common/expiry';
import { ExpiryField } from '../common/expiry-field';
import { Form } from '../common/form';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { When } from '../common/when';
import { ProofDialog, ProofForm } from '../session/proof-dialog';
import { scimText } from '../text/scim-text';
import { reloadScim, scimTokensQuery, type NewScimToken, type ScimToken } from './scim-query';

const t = scimText.tokens;

type Task = { readonly kind: 'create' } | { readonly kind: 'revoke'; readonly token: ScimToken };

/** Tokens with which the directory of the company provisions the users of the account. */
export function ScimTokens(): ReactNode {
  const { data, error, refetch } = useQuery(scimTokensQuery);
  const [task, setTask] = useState<Task>();
  const close = (): void => {
    setTask(undefined);
  };
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />;
  const columns: readonly TableColumn<ScimToken>[] = [
    { title: t.name, cell: ({ name, lastFour }) => `${name} (ms_…${lastFour})` },
    {
      title: t.lastUse,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.never : <When iso={lastUsedAt} />),
    },
    {
      title: t.expiry,
      cell: ({ expiresAt, isExpired }) => {
        if (expiresAt === null) return t.noExpiry;
        return isExpired ? t.expired : <When iso={expiresAt} />;
      },
    },
    {
      title: t.actions,
      isActions: true,
      cell: (token) => (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={t.revokeLabel(token.name)}
          onClick={() => {
            setTask({ kind: 'revoke', token });
          }}
        >
          {t.revoke}
        </Button>
      ),
    },
  ];
  return (
    <section aria-labelledby="scim">
      <Title order={2} size="h4" mt="xl" id="scim">
        {t.title}
      </Title>
      <Text my="md">{t.hint}</Text>
      {data.length > 0 && (
        <DataTable label={t.title} columns={columns} items={data} idOf={({ id }) => id} />
      )}
      <Button
        mt="md"
        variant="default"
        onClick={() => {
          setTask({ kind: 'create' });
        }}
      >
        {t.create}
      </Button>
      {task?.kind === 'create' && <NewTokenDialog onClose={close} />}
      {task?.kind === 'revoke' && (
        <ProofDialog
          title={t.revokeTitle(task.token.name)}
          hint={t.revokeHint}
          submitLabel={t.revoke}
          isDangerous
          onConfirm={async (proof) => {
            await request('POST', `/scim/tokens/${task.token.id}/revocation`, { body: proof });
            close();
            await reloadScim();
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

/** Creates a token in three steps: its properties, a proof, and the token, which is shown once. */
function NewTokenDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [expiry, setExpiry] = useState<Expiry>({ choice: 'never', day: '' });
  const [isProving, setIsProving] = useState(false);
  const [created, setCreated] = useState<NewScimToken>();
  if (created) {
    return (
      <Dialog title={t.createdTitle} isOpen onClose={onClose}>
        <Text mb="md">{t.createdHint}</Text>
        <CopyField label={t.url} text={created.url} copyLabel={t.copyUrl} />
        <CopyField label={t.token} text={created.token} copyLabel={t.copyToken} />
      </Dialog>
    );
  }
  return (
    <Dialog title={t.create} isOpen hasInput onClose={onClose}>
      {isProving ? (
        <ProofForm
          submitLabel={t.create}
          onProve={async (proof) => {
            const body = { name, expiresAt: expiresAtOf(expiry), ...proof };
            setCreated((await request<NewScimToken>('POST', '/scim/tokens', { body })).data);
            await reloadScim();
          }}
          onCancel={() => {
            setIsProving(false);
          }}
        />
      ) : (
        <Form
          submitLabel={t.next}
          isPending={false}
          error={undefined}
          problem={undefined}
          onCancel={onClose}
          onSubmit={() => {
            setIsProving(true);
          }}
        >
          <TextInput
            label={t.name}
            description={t.nameHint}
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
            }}
          />
          <ExpiryField
            value={expiry}
            onChange={setExpiry}
            neverHint={t.neverHint}
            error={undefined}
          />
        </Form>
      )}
    </Dialog>
  );
}
