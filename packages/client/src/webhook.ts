const TOLERANCE_SECONDS = 300;

/** An event that a webhook delivers. `data` can have further properties. */
export interface WebhookEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Thrown if a delivery must be rejected, for example with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface WebhookDelivery {
  /** The bytes or the text of the body as they arrived, not JSON that was parsed and printed again. */
  readonly body: string | Uint8Array;
  /** Names of plain objects are in lowercase, as in Node.js. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Secret of the webhook, which begins with `whsec_`. */
  readonly secret: string;
  /** How far the timestamp may be off; 300 seconds by default. */
  readonly toleranceSeconds?: number | undefined;
}

/**
 * Verifies the signature and the timestamp of a delivery, by Standard Webhooks. `crypto.subtle` compares
 * signatures in constant time.
 * @returns the event. Store its ID, `webhook-id`, because an event can arrive twice.
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { body, headers, secret, toleranceSeconds = TOLERANCE_SECONDS } = delivery;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const seconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(Date.now() / 1000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('The timestamp is too far off.');
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const signed = joined(encoder.encode(`${id}.${timestamp}.`), bytes);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = decoded(secret.replace(/^whsec_/, ''));
  if (raw === null || raw.length === 0) throw new TypeError('The secret is not valid.');
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  for (const signature of signatures.split(' ')) {
    const given = signature.startsWith('v1,') ? decoded(signature.slice(3)) : null;
    if (given !== null && (await crypto.subtle.verify('HMAC', key, given, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError('No signature matches.');
}

function headerOf(headers: WebhookDelivery['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

/** Decodes base64; `null` if it is not valid. */
function decoded(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
