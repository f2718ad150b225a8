import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import { CopyField } from '../common/copy-field';
import { DataTable, type TableColumn } from '../common/data-table';
import { Dialog } from '../common/dialog';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { labelOfRole } from '../session/role';
import { ProofDialog } from '../session/proof-dialog';
import { securityText } from '../text/security-text';
import { Expiry, ExpiryWarnings } from './certificate-expiry';
import { ProviderDialog, type ProviderDialogProps } from './provider-dialog';
import { ProviderKindDialog, SamlAddresses } from './provider-kind';
import { providersQuery, reloadProviders, type Provider } from './providers-query';
import { SamlDialog } from './saml-dialog';
import { samlText } from '../text/saml-text';

const t = securityText.providers;

type Task =
  | { readonly kind: 'choose' | 'create' | 'create-saml' }
  | { readonly kind: 'change' | 'remove' | 'addresses'; readonly provider: Provider };

/** The identity providers by which users of the account sign in. */
export function Providers(): ReactNode {
  const { data, error, refetch } = useQuery(providersQuery);
  const [task, setTask] = useState<Task>();
  const close = (): void => {
    setTask(undefined);
  };
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <section aria-labelledby="providers">
      <Title order={2} size="h4" mt="xl" id="providers">
        {t.title}
      </Title>
      <Text my="md">{t.hint}</Text>
      <ExpiryWarnings providers={data} />
      {data.length > 0 && <ProviderTable providers={data} onTask={setTask} />}
      <Button
        mt="md"
        variant="default"
        onClick={() => {
          setTask({ kind: 'choose' });
        }}
      >
        {t.add}
      </Button>
      {task?.kind === 'choose' && (
        <ProviderKindDialog
          onChoose={(protocol) => {
            setTask({ kind: protocol === 'saml' ? 'create-saml' : 'create' });
          }}
          onClose={close}
        />
      )}
      {(task?.kind === 'create' || task?.kind === 'create-saml') && (
        <EditDialog
          kind={task.kind === 'create' ? 'openid' : 'saml'}
          onClose={close}
          onSaved={(provider) => {
            // Its administrator must enter the addresses of the service now.
            setTask({ kind: 'addresses', provider });
          }}
        />
      )}
      {task?.kind === 'change' && (
        <EditDialog
          kind={task.provider.kind}
          provider={task.provider}
          onClose={close}
          onSaved={close}
        />
      )}
      {task?.kind === 'addresses' && <AddressDialog provider={task.provider} onClose={close} />}
      {task?.kind === 'remove' && (
        <ProofDialog
          title={t.removeTitle(task.provider.name)}
          hint={t.removeHint}
          submitLabel={t.remove}
          isDangerous
          onConfirm={async (proof) => {
            await request('POST', `/providers/${task.provider.id}/removal`, { body: proof });
            close();
            await reloadProviders();
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

function EditDialog(props: ProviderDialogProps & Pick<Provider, 'kind'>): ReactNode {
  const { kind, ...dialog } = props;
  return kind === 'saml' ? <SamlDialog {...dialog} /> : <ProviderDialog {...dialog} />;
}

interface ProviderTableProps {
  readonly providers: readonly Provider[];
  readonly onTask: (task: Task) => void;
}

function ProviderTable({ providers, onTask }: ProviderTableProps): ReactNode {
  const columns: readonly TableColumn<Provider>[] = [
    { title: t.name, cell: ({ name }) => name },
    { title: t.issuer, isWide: true, cell: ({ issuer }) => issuer },
    {
      title: samlText.expiry.title,
      isWide: true,
      cell: (provider) => <Expiry provider={provider} />,
    },
    {
      title: t.newUsers,
      isWide: true,
      cell: ({ newUserRole }) => (newUserRole === null ? t.noNewUsers : labelOfRole(newUserRole)),
    },
    {
      title: securityText.actions,
      isActions: true,
      cell: (provider) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {(['addresses', 'change', 'remove'] as const).map((kind) => (
            <Button
              key={kind}
              variant="subtle"
              size="compact-xs"
              aria-label={t.labels[kind](provider.name)}
              onClick={() => {
                onTask({ kind, provider });
              }}
            >
              {t[kind]}
            </Button>
          ))}
        </Group>
      ),
    },
  ];
  return <DataTable label={t.title} columns={columns} items={providers} idOf={({ id }) => id} />;
}

interface AddressDialogProps {
  readonly provider: Provider;
  readonly onClose: () => void;
}

function AddressDialog({ provider, onClose }: AddressDialogProps): ReactNode {
  return (
    <Dialog title={t.addressesOf(provider.name)} isOpen onClose={onClose}>
      {provider.kind === 'saml' ? (
        <SamlAddresses provider={provider} />
      ) : (
        <>
          <CopyField
            label={t.redirectUri}
            text={provider.redirectUri}
            copyLabel={t.copyRedirectUri}
          />
          <CopyField
            label={t.logoutUri}
            text={provider.logoutUri ?? ''}
            copyLabel={t.copyLogoutUri}
          />
        </>
      )}
      <CopyField label={t.signInUrl} text={provider.signInUrl} copyLabel={t.copySignInUrl} />
    </Dialog>
  );
}
