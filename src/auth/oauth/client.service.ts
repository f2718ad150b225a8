import { Injectable } from '@nestjs/common';
import { conflict } from '../../common/error/app-error';
import { isUuid, newId } from '../../common/text/id';
import { DatabaseGate } from '../../platform/database/database-gate';
import { ClientDocuments } from './client-document';
import { type ClientMetadata, readClientMetadata } from './client-metadata';
import { OauthClientRepository, UNUSED_LIFETIME_MS } from './client.repository';
import type { OauthClientEntity } from './oauth.entity';

/** Registered applications without a grant. Those with one are bounded by the grants of each account. */
const MAX_UNUSED_CLIENTS = 10_000;

/** An application that asks for access. */
export interface OauthClient extends ClientMetadata {
  readonly clientId: string;
  /** Host of the metadata document. `null` for a registered application, which may be any. */
  readonly documentHost: string | null;
}

/** Applications: registered ones, and those that publish their metadata at a URL. */
@Injectable()
export class OauthClientService {
  constructor(
    private readonly repository: OauthClientRepository,
    private readonly documents: ClientDocuments,
    private readonly gate: DatabaseGate,
  ) {}

  /** Registers an application (RFC 7591). @throws OauthError */
  async register(document: unknown): Promise<OauthClientEntity> {
    const { name, redirectUris } = readClientMetadata(document);
    const now = Date.now();
    const client = {
      id: newId(),
      name,
      redirectUris: [...redirectUris],
      createdAt: new Date(now),
      expiresAt: new Date(now + UNUSED_LIFETIME_MS),
    };
    await this.repository.insert(client);
    await this.repository.trim(MAX_UNUSED_CLIENTS, client.id);
    return client;
  }

  /** Returns whether a client id is the URL of a metadata document. */
  isPublished(clientId: string): boolean {
    return this.documents.isDocument(clientId);
  }

  /**
   * Returns an application. A request that has entered the database gate must not call this.
   * @param accountId Account of the user whom it asks.
   * @throws AppError `conflict` if it is unknown; `rate_limited` or `unavailable`.
   */
  async get(clientId: string, accountId: string): Promise<OauthClient> {
    if (this.isPublished(clientId)) {
      const metadata = await this.documents.read(clientId, accountId);
      return { clientId, documentHost: new URL(clientId).host, ...metadata };
    }
    const found = await this.gate.run(accountId, () => this.findRegistered(clientId));
    if (!found) {
      const message =
        'The application is not registered, or is no longer. Remove the credentials for this service that it has stored, and connect it again.';
      throw conflict(message);
    }
    const { name, redirectUris } = found;
    return { clientId, documentHost: null, name, redirectUris };
  }

  /** Returns whether an id is that of a registered application, or may be that of one with a metadata document. */
  async mayExist(clientId: string): Promise<boolean> {
    return this.isPublished(clientId) || (await this.findRegistered(clientId)) !== null;
  }

  /** Keeps a registered application for a grant. Use in the transaction that uses its code. */
  async keepFor(clientId: string, expiresAt: Date): Promise<void> {
    if (isUuid(clientId)) await this.repository.keepFor(clientId, expiresAt);
  }

  private async findRegistered(clientId: string): Promise<OauthClientEntity | null> {
    const found = isUuid(clientId) ? await this.repository.find(clientId) : null;
    return found?.id === clientId && found.expiresAt.getTime() > Date.now() ? found : null;
  }
}
