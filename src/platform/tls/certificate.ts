import { X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { type CertificateFiles, ConfigError } from '../config/app-config';
import type { Logger } from '../logging/logger';

/** Certificate chain and the private key of its first certificate, in PEM format. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const MIN_VERSION = 'TLSv1.2';

/** TLS options of the service's servers. A handshake may take as long as headers may by default. */
export const TLS_SERVER = { minVersion: MIN_VERSION, handshakeTimeout: 20_000 } as const;

/** Setting that names each file. */
const SETTINGS = { cert: 'TLS_CERT_FILE', key: 'TLS_KEY_FILE' } as const;

/**
 * Reads a certificate and its private key, and checks that they match.
 * @throws ConfigError if a file cannot be read or they do not match.
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

/** Returns whether a server uses TLS. */
export function isTls(server: unknown): server is Server {
  return server instanceof Server;
}

/** Uses the certificate for new connections. Existing connections keep their own. */
function useCertificate(server: Server, certificate: Certificate): void {
  server.setSecureContext({ ...certificate, minVersion: MIN_VERSION });
}

/**
 * Closes connections whose TLS handshake fails. Otherwise Node would report the failure as a
 * request error, whose response the connection cannot carry.
 */
export function rejectHandshakes(server: Server, { pino }: Logger): void {
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket) => {
    pino.debug({ fault: code }, 'TLS handshake failed');
    socket.destroy();
  });
}

const LOOK_EVERY_MS = 1_000;

/**
 * Reloads the certificate when its files change, while the server listens. Polls the files instead
 * of watching them: a mounted secret changes through a link in a parent directory, and network file
 * systems send no notifications. If certificate and key do not match, for example because only one
 * is written yet, logs an error and keeps the current certificate.
 */
export function followCertificate(server: Server, files: CertificateFiles, { pino }: Logger): void {
  const reload = (): void => {
    try {
      const certificate = readCertificate(files);
      useCertificate(server, certificate);
      pino.info(described(certificate), 'certificate changed');
    } catch (error) {
      pino.error({ err: error }, 'certificate reload failed, keeping the current certificate');
    }
  };
  server.on('listening', () => {
    for (const file of [files.cert, files.key]) {
      watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, reload);
    }
  });
  server.on('close', () => {
    for (const file of [files.cert, files.key]) unwatchFile(file, reload);
  });
}

function described({ cert }: Certificate): object {
  const { fingerprint256, validTo } = new X509Certificate(cert);
  return { fingerprint256, validTo };
}
