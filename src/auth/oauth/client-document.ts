import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Agent, type buildConnector, request } from 'undici';
import { conflict } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { LIMITS } from '../../platform/fairness/limits';
import { Logger } from '../../platform/logging/logger';
import { AddressPolicy } from '../../platform/outbound/address-policy';
import { checkedConnector, ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import { hostResolver } from '../../platform/outbound/host-resolver';
import { CheckPermits } from '../../platform/throttling/check-permits';
import { RateCounters } from '../../platform/throttling/rate-counters';
import { type ClientMetadata, readClientMetadata } from './client-metadata';
import { MAX_URI_LENGTH } from './redirect-uri';

/** Documents have some hundred bytes. */
const MAX_DOCUMENT_BYTES = 16 * 1024;
const MAX_KEPT = 500;
const LIFETIME_MS = 5 * 60_000;

/**
 * Reads the metadata that applications publish at the URL which is their id (OAuth Client ID Metadata
 * Document). Requests go to public addresses only, also if the operator allows connections to private ones:
 * any user can choose the URL. They use HTTPS, follow no redirects, and are bounded.
 */
@Injectable()
export class ClientDocuments implements BeforeApplicationShutdown {
  /** Tests replace it, to reach a server of their own. */
  readonly network: { readonly connect: buildConnector.connector };
  private readonly agent: Agent;
  private readonly permits: CheckPermits;
  private readonly kept = new LRUCache<string, ClientMetadata>({ max: MAX_KEPT, ttl: LIFETIME_MS });

  constructor(
    private readonly config: AppConfig,
    private readonly logger: Logger,
    counters: RateCounters,
  ) {
    const { clientDocumentTimeoutMs: timeoutMs } = config;
    const connector = { timeoutMs, resolve: hostResolver() };
    this.network = { connect: checkedConnector(new AddressPolicy([]), connector) };
    this.agent = new Agent({
      connect: (options, callback) => {
        this.network.connect(options, callback);
      },
      connections: 4,
    });
    this.permits = new CheckPermits(LIMITS.clientDocuments, config, counters);
  }

  /** Returns whether a client id is the URL of a document: of HTTPS, and without a port. */
  isDocument(clientId: string): boolean {
    if (clientId.length > MAX_URI_LENGTH || !URL.canParse(clientId)) return false;
    const url = new URL(clientId);
    // The URL is compared as a text, so that it has one form: no dot segments, no fragment, no credentials.
    // Only the port of HTTPS is asked, so that nobody scans ports.
    return (
      url.protocol === 'https:' && url.href === clientId && url.pathname !== '/' && isPlain(url)
    );
  }

  /**
   * Returns the metadata at a URL.
   * @param accountId Account of the user whom the application asks.
   * @throws AppError `conflict`; `rate_limited` or `unavailable` if too many are being read.
   */
  async read(url: string, accountId: string): Promise<ClientMetadata> {
    const kept = this.kept.get(url);
    if (kept) return kept;
    const release = await this.permits.acquire(accountId);
    try {
      const document = await this.fetch(url);
      if (document['client_id'] !== url) throw new Error('another client_id');
      if (hasSecret(document)) throw new Error('a client with a secret');
      const metadata = readClientMetadata(document);
      this.kept.set(url, metadata);
      return metadata;
    } catch (error) {
      this.logger.pino.warn({ err: error, url }, 'client metadata document failed');
      throw conflict(
        'The application cannot be identified: its metadata document is not readable.',
      );
    } finally {
      release();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  private async fetch(url: string): Promise<Record<string, unknown>> {
    const signal = AbortSignal.timeout(this.config.clientDocumentTimeoutMs);
    const { statusCode, headers, body } = await request(url, {
      dispatcher: this.agent,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      signal,
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    });
    // Destroying a body that nobody reads is an error of its stream, which would end the process.
    body.on('error', () => undefined);
    try {
      if (statusCode !== 200) throw new Error(`status ${String(statusCode)}`);
      if (!/^application\/([\w.-]+\+)?json\b/i.test(String(headers['content-type'])))
        throw new Error('not JSON');
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of body as AsyncIterable<Buffer>) {
        bytes += part.length;
        if (bytes > MAX_DOCUMENT_BYTES) throw new ResponseTooLargeError();
        parts.push(part);
      }
      const parsed: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
      if (typeof parsed !== 'object' || parsed === null) throw new Error('no object');
      return parsed as Record<string, unknown>;
    } finally {
      body.destroy();
    }
  }
}

/** Everybody can read a document, so that a client with one has no secret. */
const hasSecret = ({
  token_endpoint_auth_method: method = 'none',
  client_secret: secret,
}: Record<string, unknown>): boolean => method !== 'none' || secret !== undefined;

const isPlain = ({ username, password, port, hash, href }: URL): boolean =>
  `${username}${password}${port}${hash}` === '' && !href.endsWith('#');
