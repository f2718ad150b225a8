import { X509Certificate } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import type { Server } from 'node:https';
import type { CertificateFiles } from '../config/app-config';
import type { Logger } from '../logging/logger';
import { readCertificate, useCertificate, type Certificate } from './certificate';

const LOOK_EVERY_MS = 1_000;

/**
 * While the server listens, has it use what the files hold anew whenever they change. They are
 * looked at, not watched: where a secret is mounted, a link far above them changes, and file
 * systems of the network tell nobody. A pair that does not fit, such as one of which only the
 * first half is written yet, is logged, and the one in use is kept.
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
