import { Injectable } from '@nestjs/common';
import { conflict, invalidField, notFound } from '../../common/error/app-error';
import { newId } from '../../common/text/id';
import { nextTurn } from '../../platform/fairness/event-loop-turns';
import type { Actor } from '../audit/audit-action';
import { ProviderError } from './openid-client';
import type { ProviderRecord } from './provider.repository';
import { ProviderService, type ProviderView } from './provider.service';
import { isExpired, readCertificate } from './saml-certificate';
import { readMetadata, type SamlMetadata } from './saml-metadata';
import { SamlMetadataReader } from './saml-metadata-reader';

/** Settings of a SAML provider. */
export type SamlProviderSettings = Pick<
  ProviderRecord,
  'name' | 'issuer' | 'newUserRole' | 'newUserDomains' | 'trustsEmail'
> & {
  readonly ssoUrl: string;
  /** PEM, or DER in base64. */
  readonly certificates: readonly string[];
};

/** SAML providers of accounts. */
@Injectable()
export class SamlProviderService {
  constructor(
    private readonly providers: ProviderService,
    private readonly reader: SamlMetadataReader,
  ) {}

  /** Reads the metadata of a provider. @throws AppError `conflict` if they cannot be used. */
  async readMetadata(
    accountId: string,
    source: { readonly xml: string } | { readonly url: string },
  ): Promise<SamlMetadata> {
    try {
      const xml = 'xml' in source ? source.xml : await this.reader.read(source.url);
      await nextTurn(accountId);
      return readMetadata(xml);
    } catch (error) {
      if (error instanceof ProviderError) throw conflict(error.message);
      throw error;
    }
  }

  /** @throws AppError `invalid_request`; `conflict` if the account has too many. */
  async create(
    accountId: string,
    { certificates, ...settings }: SamlProviderSettings,
    by: Actor,
  ): Promise<ProviderView> {
    return this.providers.add(
      {
        ...{ ...settings, certificates: storedCertificates(certificates) },
        ...{ id: newId(), accountId, kind: 'saml', createdAt: new Date() },
        ...{ clientId: null, clientSecret: null, groupsClaim: '', groupRoles: [] },
      },
      by,
    );
  }

  /**
   * Changes a provider, and ends the sign-ins that have begun.
   * @throws AppError `not_found`, `invalid_request`
   */
  async update(
    accountId: string,
    id: string,
    { certificates, ...change }: Partial<Omit<SamlProviderSettings, 'issuer'>>,
    by: Actor,
  ): Promise<ProviderView> {
    const before = await this.getIn(accountId, id);
    const all = {
      ...change,
      ...(certificates && { certificates: storedCertificates(certificates) }),
    };
    return this.providers.change(before, all, Object.keys(all), by);
  }

  /** @throws AppError `not_found` */
  async getIn(accountId: string, id: string): Promise<ProviderRecord> {
    return requireSaml(await this.providers.getIn(accountId, id));
  }

  /** @throws AppError `not_found` */
  async get(id: string): Promise<ProviderRecord> {
    return requireSaml(await this.providers.get(id));
  }
}

function requireSaml(provider: ProviderRecord): ProviderRecord {
  if (provider.kind === 'saml') return provider;
  throw notFound('Provider');
}

/** @throws AppError `invalid_request` */
function storedCertificates(texts: readonly string[]): string[] {
  const stored = texts.map((text) => {
    const certificate = readCertificate(text);
    if (certificate && !isExpired(certificate)) return certificate.base64;
    throw invalidField(
      'certificates',
      'invalid_format',
      'must be certificates that have not expired, with RSA keys of 2,048 bits or more',
    );
  });
  return [...new Set(stored)];
}
