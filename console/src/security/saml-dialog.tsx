import { useState, type ReactNode } from 'react';
import { isApiError } from '../api/api-error';
import { request } from '../api/client';
import { Dialog } from '../common/dialog';
import { formErrors } from '../common/field-errors';
import { Form } from '../common/form';
import { ProofForm, type Proof } from '../session/proof-dialog';
import { samlText } from '../text/saml-text';
import { securityText } from '../text/security-text';
import { reloadProviders, type Provider } from './providers-query';
import { SAML_FIELDS, SamlFields, type SamlSettings } from './saml-fields';

export interface SamlDialogProps {
  /** Absent for a new one. */
  readonly provider?: Provider;
  readonly onClose: () => void;
  readonly onSaved: (provider: Provider) => void;
}

/** Adds or changes a SAML provider in two steps: its settings, and a proof. */
export function SamlDialog({ provider, onClose, onSaved }: SamlDialogProps): ReactNode {
  const [settings, setSettings] = useState(() => settingsOf(provider));
  const [isProving, setIsProving] = useState(false);
  /** Concerns the settings. */
  const [failure, setFailure] = useState<unknown>();
  const { fields, rest } = formErrors(failure, SAML_FIELDS);
  const prove = async (proof: Proof): Promise<void> => {
    try {
      onSaved(await save(provider, settings, proof));
    } catch (error) {
      if (!concernsSettings(error)) throw error;
      setFailure(error);
      setIsProving(false);
      return;
    }
    await reloadProviders();
  };
  const title = provider ? securityText.providers.changeTitle(provider.name) : samlText.add;
  return (
    <Dialog title={title} isOpen hasInput onClose={onClose}>
      {isProving ? (
        <ProofForm
          submitLabel={securityText.providers.save}
          onProve={prove}
          onCancel={() => {
            setIsProving(false);
          }}
        />
      ) : (
        <Form
          submitLabel={securityText.providers.next}
          isPending={false}
          error={failure}
          problem={rest}
          onCancel={onClose}
          onSubmit={() => {
            setFailure(undefined);
            setIsProving(true);
          }}
        >
          <SamlFields
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

function settingsOf(provider: Provider | undefined): SamlSettings {
  return {
    ...{ name: provider?.name ?? '', issuer: provider?.issuer ?? '' },
    ssoUrl: provider?.ssoUrl ?? '',
    certificates: (provider?.certificates ?? []).map(({ pem }) => pem).join(''),
    domains: (provider?.newUserDomains ?? []).join(' '),
    newUserRole: provider?.newUserRole ?? null,
    trustsEmail: provider?.trustsEmail ?? false,
  };
}

async function save(
  provider: Provider | undefined,
  settings: SamlSettings,
  proof: Proof,
): Promise<Provider> {
  const { newUserRole, trustsEmail } = settings;
  const common = {
    ...{ name: settings.name.trim(), ssoUrl: settings.ssoUrl.trim(), newUserRole, trustsEmail },
    certificates: certificatesIn(settings.certificates),
    newUserDomains: settings.domains.split(/[\s,;]+/).filter((domain) => domain !== ''),
    ...proof,
  };
  if (provider) {
    const path = `/providers/${provider.id}/saml`;
    return (await request<Provider>('PATCH', path, { body: common })).data;
  }
  const body = { ...common, issuer: settings.issuer.trim() };
  return (await request<Provider>('POST', '/providers/saml', { body })).data;
}

/** Returns the certificates of a text: several in PEM, or one in base64. */
function certificatesIn(text: string): string[] {
  const pems = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  if (pems) return pems;
  return text.trim() === '' ? [] : [text.trim()];
}

/** Whether the settings must change, rather than the proof. */
const concernsSettings = (error: unknown): boolean =>
  isApiError(error, 'conflict') ||
  (isApiError(error) &&
    error.details.some(({ field }) => SAML_FIELDS.some((one) => field.startsWith(one))));
