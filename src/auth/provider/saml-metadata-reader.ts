import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Agent, request } from 'undici';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector } from '../../platform/outbound/checked-connector';
import { hostResolver } from '../../platform/outbound/host-resolver';
import { providerError } from './openid-client';
import { MAX_XML_BYTES } from './saml-xml';

const TIMEOUT_MS = 5_000;

/** Reads the metadata of SAML providers from URLs that owners enter. Requests go to checked addresses only. */
@Injectable()
export class SamlMetadataReader implements BeforeApplicationShutdown {
  private readonly agent: Agent;

  constructor(
    { connectionAllowedPrivateRanges }: AppConfig,
    private readonly logger: Logger,
  ) {
    const policy = new AddressPolicy(
      connectionAllowedPrivateRanges,
      'CONNECTION_ALLOWED_PRIVATE_RANGES',
    );
    const connector = { timeoutMs: TIMEOUT_MS, resolve: hostResolver() };
    // The body may be as large as what is parsed, with headers.
    const maxResponseBytes = MAX_XML_BYTES + 64 * 1024;
    this.agent = new Agent({
      connect: checkedConnector(policy, { ...connector, maxResponseBytes }),
      connections: 8,
    });
  }

  /** Returns the text at a URL. Follows no redirects. @throws ProviderError */
  async read(url: string): Promise<string> {
    try {
      const { statusCode, body } = await request(url, {
        ...{ dispatcher: this.agent, signal: AbortSignal.timeout(TIMEOUT_MS) },
        headers: { 'accept-encoding': 'identity' },
      });
      if (statusCode === 200) return await body.text();
      await body.dump();
    } catch (error) {
      this.logger.pino.warn({ err: error }, 'identity provider failed');
      throw providerError('The metadata cannot be read from this URL. Paste them instead.', error);
    }
    throw providerError('The metadata cannot be read from this URL. Paste them instead.');
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}
