import { Injectable } from '@nestjs/common';
import { Logger } from '../platform/logging/logger';
import { SealError, Sealer } from '../platform/secrets/sealer';
import { DestinationError } from './destination';

/** For the owner of a connection. The log tells the operator which key is missing. */
const NOT_OPENED =
  'The secret of the connection cannot be opened. Send it again, or ask the operator of the service.';

/** Seals and opens the secrets of connections, such as passwords of databases. */
@Injectable()
export class ConnectionSecrets {
  constructor(
    private readonly sealer: Sealer,
    private readonly logger: Logger,
  ) {}

  /** Returns the bytes to store for a secret. It must not begin with NUL, as sealed bytes do. */
  seal(connectionId: string, secret: string): Buffer {
    if (secret.startsWith('\0')) throw new Error('A secret must not begin with NUL.');
    return this.sealer.seal(Buffer.from(secret), connectionSecretPlace(connectionId));
  }

  /** Returns the secret of stored bytes. @throws SealError if it cannot be opened. */
  open(connectionId: string, stored: Buffer): string {
    return this.sealer.open(stored, connectionSecretPlace(connectionId)).toString();
  }

  /**
   * Returns the secret with which to connect; `null` if none is stored.
   * @throws DestinationError `configuration` if it cannot be opened.
   */
  openFor(connectionId: string, stored: Buffer | null): string | null {
    if (stored === null) return null;
    try {
      return this.open(connectionId, stored);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      const fields = { connectionId, reason: error.message };
      this.logger.pino.error(fields, 'connection secret not opened');
      throw new DestinationError('configuration', NOT_OPENED, { cause: error });
    }
  }
}

/** The place of the secret of a connection. */
export const connectionSecretPlace = (connectionId: string): string =>
  `connection:${connectionId}:secret`;
