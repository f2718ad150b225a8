import { Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import type { Role } from '../api/types';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { ROLES } from '../session/role';
import { ProofForm, type Proof } from '../session/proof-dialog';
import { securityText } from '../text/security-text';
import { GroupRoles } from './provider-groups';
import { reloadProviders, type GroupRole, type Provider } from './providers-query';

const t = securityText.providers;

interface Settings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** As typed. */
  readonly domains: string;
  readonly newUserRole: Role | null;
  readonly trustsEmail: boolean;
  readonly groupsClaim: string;
  readonly groupRoles: readonly GroupRole[];
}

const EMPTY: Settings = {
  ...{ name: '', issuer: '', clientId: '', clientSecret: '' },
  ...{ domains: '', newUserRole: null, trustsEmail: false },
  ...{ groupsClaim: 'groups', groupRoles: [] },
};

export interface ProviderDialogProps {
  /** Absent for a new one. */
  readonly provider?: Provider;
  readonly onClose: () => void;
  readonly onSaved: (provider: Provider) => void;
}

const FIELDS = [
  'name',
  'issuer',
  'clientId',
  'clientSecret',
  'newUserDomains',
  'groupRoles',
] as const;

/** Adds or changes a provider in two steps: its settings, and a proof. */
export function ProviderDialog({ provider, onClose, onSaved }: ProviderDialogProps): ReactNode {
  const [settings, setSettings] = useState<Settings>({
    ...EMPTY,
    ...provider,
    domains: provider?.newUserDomains.join(' ') ?? '',
    ...{ clientId: provider?.clientId ?? '', clientSecret: '' },
  });
  const [isProving, setIsProving] = useState(false);
  /** Concerns the settings. */
  const [failure, setFailure] = useState<unknown>();
  const { fields, rest } = formErrors(failure, FIELDS);
  const save = async (proof: Proof): Promise<Provider> => {
    const { issuer, clientSecret, domains, newUserRole, trustsEmail } = settings;
    const { groupsClaim, groupRoles } = settings;
    const [name, clientId] = [settings.name.trim(), settings.clientId.trim()];
    const newUserDomains = domains.split(/[\s,;]+/).filter((domain) => domain !== '');
    const common = {
      ...{ name, clientId, newUserRole, newUserDomains, trustsEmail },
      ...{ groupsClaim: groupsClaim.trim(), groupRoles },
      ...proof,
    };
    if (provider) {
      const body = { ...common, ...(clientSecret !== '' && { clientSecret }) };
      return (await request<Provider>('PATCH', `/providers/${provider.id}`, { body })).data;
    }
    const body = { ...common, issuer: issuer.trim(), clientSecret };
    return (await request<Provider>('POST', '/providers', { body })).data;
  };
  const prove = async (proof: Proof): Promise<void> => {
    try {
      onSaved(await save(proof));
    } catch (error) {
      if (!concernsSettings(error)) throw error;
      setFailure(error);
      setIsProving(false);
      return;
    }
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
          onProve={prove}
          onCancel={() => {
            setIsProving(false);
          }}
        />
      ) : (
        <Form
          submitLabel={t.next}
          isPending={false}
          error={failure}
          problem={rest}
          onCancel={onClose}
          onSubmit={() => {
            setFailure(undefined);
            setIsProving(true);
          }}
        >
          <SettingsFields
            isNew={!provider}
            settings={settings}
            errors={fields}
            onChange={setSettings}
          />
        </Form>
      )}
    </Dialog>
  );
}

/** Whether the settings must change, rather than the proof. */
const concernsSettings = (error: unknown): boolean =>
  isApiError(error, 'conflict') ||
  (isApiError(error) &&
    error.details.some(({ field }) => FIELDS.some((one) => field.startsWith(one))));

interface SettingsFieldsProps {
  readonly errors: Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;
  readonly isNew: boolean;
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

function SettingsFields(props: SettingsFieldsProps): ReactNode {
  const { errors, isNew, settings, onChange } = props;
  const field = (key: 'name' | 'issuer' | 'clientId' | 'domains', hasFocus = false): ReactNode => (
    <TextInput
      label={t[key]}
      description={t.hints[key]}
      autoComplete="off"
      data-autofocus={hasFocus || undefined}
      value={settings[key]}
      error={errors[key === 'domains' ? 'newUserDomains' : key]}
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
        error={errors.clientSecret}
        onChange={(event) => {
          onChange({ ...settings, clientSecret: event.currentTarget.value });
        }}
      />
      {field('domains')}
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
      <GroupRoles
        claim={settings.groupsClaim}
        groupRoles={settings.groupRoles}
        error={errors.groupRoles}
        onClaim={(groupsClaim) => {
          onChange({ ...settings, groupsClaim });
        }}
        onChange={(groupRoles) => {
          onChange({ ...settings, groupRoles });
        }}
      />
    </>
  );
}
