import { X509Certificate } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:https';
import type { CertificateFiles } from '../config/app-config';
import type { Logger } from '../logging/logger';
import { readCertificate, useCertificate, type Certificate } from './certificate';

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
