import { readFileSync } from 'node:fs';
import { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { ConfigError, type CertificateFiles } from '../config/app-config';
import type { Logger } from '../logging/logger';

/** A chain of certificates and the key of its first, as PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const MIN_VERSION = 'TLSv1.2';

/** How a server of ours speaks TLS. A handshake has as long as the headers behind it usually have. */
export const TLS_SERVER = { minVersion: MIN_VERSION, handshakeTimeout: 20_000 } as const;

/** Which setting names which file. */
const SETTINGS = { cert: 'TLS_CERT_FILE', key: 'TLS_KEY_FILE' } as const;

/**
 * Reads a certificate and its key, and sees to it that they belong together.
 * @throws ConfigError
 */
export function readCertificate(files: CertificateFiles): Certificate {
  const certificate = { cert: readPart('cert', files), key: readPart('key', files) };
  try {
    createSecureContext(certificate);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(
      `Wrong setting: TLS_CERT_FILE and TLS_KEY_FILE must hold a certificate and its key, as PEM: ${reason}`,
    );
  }
  return certificate;
}

function readPart(part: 'cert' | 'key', files: CertificateFiles): Buffer {
  try {
    return readFileSync(files[part]);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `Wrong setting: ${SETTINGS[part]} must be a file that can be read (it is ${JSON.stringify(files[part])}): ${code}`,
    );
  }
}

/** Whether it is a server that speaks TLS. */
export function isTls(server: unknown): server is Server {
  return server instanceof Server;
}

/** New connections get the certificate; those there are go on with the one they began with. */
export function useCertificate(server: Server, certificate: Certificate): void {
  server.setSecureContext({ ...certificate, minVersion: MIN_VERSION });
}

/**
 * Closes what fails to become a TLS connection. Without it the failure would be answered as that of
 * a request, over a connection that cannot carry an answer.
 */
export function refuseHandshakes(server: Server, { pino }: Logger): void {
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket) => {
    pino.debug({ fault: code }, 'TLS handshake failed');
    socket.destroy();
  });
}
