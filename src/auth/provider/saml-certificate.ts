import { X509Certificate } from 'node:crypto';

/** Maximum number of certificates of a provider. Two are enough for a change of the key. */
export const MAX_CERTIFICATES = 5;
const MIN_RSA_BITS = 2048;

/** A certificate with which a provider signs. */
export interface SamlCertificate {
  /** DER in base64, as it is stored. */
  readonly base64: string;
  readonly pem: string;
  /** SHA-256, such as `AB:CD:…`. */
  readonly fingerprint: string;
  readonly expiresAt: Date;
}

/** @param text PEM, or DER in base64. @returns `null` if it is not one with an RSA key of 2,048 bits or more. */
export function readCertificate(text: string): SamlCertificate | null {
  const base64 = text.replaceAll(/-----(?:BEGIN|END) CERTIFICATE-----/g, '').replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  try {
    const der = Buffer.from(base64, 'base64');
    const certificate = new X509Certificate(der);
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
    if (type !== 'rsa' || (details?.modulusLength ?? 0) < MIN_RSA_BITS) return null;
    // Bytes after the certificate are left out.
    const { raw, fingerprint256: fingerprint, validTo } = certificate;
    const expiresAt = new Date(validTo);
    return { base64: raw.toString('base64'), pem: certificate.toString(), fingerprint, expiresAt };
  } catch {
    return null;
  }
}

/** Returns the stored certificates. */
export function certificatesOf(stored: readonly string[]): SamlCertificate[] {
  return stored.flatMap((each) => readCertificate(each) ?? []);
}

export const isExpired = ({ expiresAt }: SamlCertificate): boolean =>
  expiresAt.getTime() <= Date.now();
