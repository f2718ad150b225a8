import { Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { request } from '../api/client';
import type { Role } from '../api/types';
import { Dialog } from '../common/dialog';
import { Form } from '../common/form';
import { ROLES } from '../session/role';
import { ProofForm, type Proof } from '../session/proof-dialog';
import { securityText } from '../text/security-text';
import { reloadProviders, type Provider } from './providers-query';

const t = securityText.providers;

interface Settings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly newUserRole: Role | null;
  readonly trustsEmail: boolean;
}

const EMPTY: Settings = {
  ...{ name: '', issuer: '', clientId: '', clientSecret: '' },
  ...{ newUserRole: null, trustsEmail: false },
};

export interface ProviderDialogProps {
  /** Absent for a new one. */
  readonly provider?: Provider;
  readonly onClose: () => void;
}

/** Adds or changes a provider in two steps: its settings, and a proof. */
export function ProviderDialog({ provider, onClose }: ProviderDialogProps): ReactNode {
  const [settings, setSettings] = useState<Settings>({
    ...EMPTY,
    ...provider,
    clientId: provider?.clientId ?? '',
    clientSecret: '',
  });
  const [isProving, setIsProving] = useState(false);
  const save = async (proof: Proof): Promise<void> => {
    const { name, issuer, clientId, clientSecret, newUserRole, trustsEmail } = settings;
    const common = { name, clientId, newUserRole, trustsEmail, ...proof };
    if (provider) {
      const body = { ...common, ...(clientSecret !== '' && { clientSecret }) };
      await request('PATCH', `/providers/${provider.id}`, { body });
    } else {
      await request('POST', '/providers', { body: { ...common, issuer, clientSecret } });
    }
    onClose();
    await reloadProviders();
  };
  return (
    <Dialog
      title={provider ? t.changeTitle(provider.name) : t.add}
      isOpen
      hasInput
      onClose={onClose}
    >
      {isProving ? (
        <ProofForm
          submitLabel={t.save}
          onProve={save}
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
          <SettingsFields isNew={!provider} settings={settings} onChange={setSettings} />
        </Form>
      )}
    </Dialog>
  );
}

interface SettingsFieldsProps {
  readonly isNew: boolean;
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

function SettingsFields({ isNew, settings, onChange }: SettingsFieldsProps): ReactNode {
  const field = (key: 'name' | 'issuer' | 'clientId', hasFocus = false): ReactNode => (
    <TextInput
      label={t[key]}
      description={t.hints[key]}
      autoComplete="off"
      data-autofocus={hasFocus || undefined}
      value={settings[key]}
      onChange={(event) => {
        onChange({ ...settings, [key]: event.currentTarget.value });
      }}
    />
  );
  return (
    <>
      {field('name', true)}
      {isNew && field('issuer')}
      {field('clientId')}
      <PasswordInput
        label={t.clientSecret}
        description={isNew ? undefined : t.keptSecret}
        autoComplete="off"
        value={settings.clientSecret}
        onChange={(event) => {
          onChange({ ...settings, clientSecret: event.currentTarget.value });
        }}
      />
      <Select
        label={t.newUsers}
        description={t.hints.newUsers}
        data={[
          { value: '', label: t.noNewUsers },
          ...ROLES.filter(({ role }) => role !== 'owner').map(({ role, label }) => ({
            value: role,
            label,
          })),
        ]}
        allowDeselect={false}
        value={settings.newUserRole ?? ''}
        onChange={(role) => {
          onChange({ ...settings, newUserRole: role === '' ? null : role });
        }}
      />
      <Checkbox
        label={t.trustsEmail}
        description={t.hints.trustsEmail}
        checked={settings.trustsEmail}
        onChange={(event) => {
          onChange({ ...settings, trustsEmail: event.currentTarget.checked });
        }}
      />
    </>
  );
}
