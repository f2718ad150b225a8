import { Alert, Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { messageOf } from '../api/api-error';
import { request } from '../api/client';
import type { Role } from '../api/types';
import { ROLES } from '../session/role';
import { samlText as t } from '../text/saml-text';
import { securityText } from '../text/security-text';

/** What an owner enters. */
export interface SamlSettings {
  readonly name: string;
  readonly issuer: string;
  readonly ssoUrl: string;
  /** PEM, one behind the other. */
  readonly certificates: string;
  /** As typed. */
  readonly domains: string;
  readonly newUserRole: Role | null;
  readonly trustsEmail: boolean;
}

/** Properties of the request to which errors belong. */
export const SAML_FIELDS = ['name', 'issuer', 'ssoUrl', 'certificates', 'newUserDomains'] as const;

export interface SamlFieldsProps {
  readonly errors: Readonly<Partial<Record<(typeof SAML_FIELDS)[number], string>>>;
  readonly isNew: boolean;
  readonly settings: SamlSettings;
  readonly onChange: (settings: SamlSettings) => void;
}

export function SamlFields({ errors, isNew, settings, onChange }: SamlFieldsProps): ReactNode {
  const field = (key: 'name' | 'issuer' | 'ssoUrl' | 'domains'): ReactNode => (
    <TextInput
      label={t[key]}
      description={t.hints[key]}
      autoComplete="off"
      value={settings[key]}
      error={errors[key === 'domains' ? 'newUserDomains' : key]}
      onChange={(event) => {
        onChange({ ...settings, [key]: event.currentTarget.value });
      }}
    />
  );
  return (
    <>
      <Source
        onRead={(read) => {
          onChange({ ...settings, ...read, issuer: isNew ? read.issuer : settings.issuer });
        }}
      />
      {field('name')}
      {isNew && field('issuer')}
      {field('ssoUrl')}
      <Textarea
        label={t.certificates}
        description={t.hints.certificates}
        autosize
        minRows={3}
        maxRows={8}
        spellCheck={false}
        value={settings.certificates}
        error={errors.certificates}
        onChange={(event) => {
          onChange({ ...settings, certificates: event.currentTarget.value });
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
      <NewUserRole
        role={settings.newUserRole}
        onChange={(newUserRole) => {
          onChange({ ...settings, newUserRole });
        }}
      />
      {field('domains')}
    </>
  );
}

interface NewUserRoleProps {
  readonly role: Role | null;
  readonly onChange: (role: Role | null) => void;
}

function NewUserRole({ role, onChange }: NewUserRoleProps): ReactNode {
  const { newUsers, noNewUsers, hints } = securityText.providers;
  return (
    <Select
      label={newUsers}
      description={hints.newUsers}
      data={[
        { value: '', label: noNewUsers },
        ...ROLES.filter((each) => each.role !== 'owner').map((each) => ({
          value: each.role,
          label: each.label,
        })),
      ]}
      allowDeselect={false}
      value={role ?? ''}
      onChange={(value) => {
        onChange(ROLES.find((each) => each.role === value)?.role ?? null);
      }}
    />
  );
}

interface Metadata {
  readonly entityId: string;
  readonly ssoUrl: string;
  readonly certificates: readonly string[];
}

type Read = Pick<SamlSettings, 'issuer' | 'ssoUrl' | 'certificates'>;

/** Reads the metadata of a provider, so that nobody need copy what they say. */
function Source({ onRead }: { readonly onRead: (read: Read) => void }): ReactNode {
  const [source, setSource] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const text = source.trim();
      const body = /^https?:/i.test(text) ? { url: text } : { xml: text };
      return (await request<Metadata>('POST', '/providers/saml/metadata', { body })).data;
    },
    onSuccess: ({ entityId, ssoUrl, certificates }) => {
      onRead({ issuer: entityId, ssoUrl, certificates: certificates.join('') });
    },
  });
  return (
    <>
      <Textarea
        label={t.source}
        description={t.sourceHint}
        data-autofocus
        autosize
        minRows={2}
        maxRows={6}
        spellCheck={false}
        value={source}
        onChange={(event) => {
          setSource(event.currentTarget.value);
        }}
      />
      <Button
        variant="default"
        loading={isPending}
        disabled={source.trim() === ''}
        onClick={() => {
          mutate();
        }}
      >
        {t.read}
      </Button>
      {error && (
        <Alert color="red" role="alert">
          {messageOf(error)}
        </Alert>
      )}
    </>
  );
}
