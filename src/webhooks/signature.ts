import { createHmac, randomBytes } from 'node:crypto';
import { newId } from '../common/text/id';

const SECRET_BYTES = 32;
const SECRET_PREFIX = 'whsec_';

/** Returns a new key for signatures: 256 random bits. */
export function createSigningKey(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Returns a key as its owner gets it: `whsec_` and base64. */
export function printedSecret(key: Buffer): string {
  return `${SECRET_PREFIX}${key.toString('base64')}`;
}

/** Returns a new value of `webhook-id`, the same for all attempts to deliver an event. */
export function newMessageId(): string {
  return `msg_${newId().replaceAll('-', '')}`;
}

export interface SignedMessage {
  readonly messageId: string;
  readonly body: string;
  /** Keys that sign: the current one, and during a rotation the previous one. */
  readonly keys: readonly Buffer[];
  /** Time of the attempt. */
  readonly at: Date;
}

/** Returns the headers of a delivery, by the Standard Webhooks specification 1.0.0. */
export function signedHeaders({
  messageId,
  body,
  keys,
  at,
}: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = `${messageId}.${timestamp}.${body}`;
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'datagrid-webhooks/1',
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': keys
      .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      .join(' '),
  };
}
