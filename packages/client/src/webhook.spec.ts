import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from './webhook.ts';

const SECRET = `whsec_${btoa('0123456789abcdef01234567')}`;
const BODY = '{"type":"rows.created","timestamp":"t","data":{"text":"ü"}}';

interface Signed {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** A delivery as the published library signs it. */
function delivery(at = new Date(), body = BODY): Signed {
  const headers = {
    'webhook-id': 'e-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('e-1', at, body),
  };
  return { body, headers, secret: SECRET };
}

const from = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

describe('verifyWebhook', () => {
  it('returns the event of a text, of bytes, and with headers of every kind', async () => {
    const event = JSON.parse(BODY) as unknown;
    const signed = delivery();
    const headers = new Headers(signed.headers);
    expect(await verifyWebhook(signed)).toEqual(event);
    expect(await verifyWebhook({ ...signed, headers })).toEqual(event);
    const bytes = new TextEncoder().encode(BODY);
    expect(await verifyWebhook({ ...signed, body: bytes })).toEqual(event);
  });

  it('accepts one of several signatures, as during a rotation, in any order', async () => {
    const { headers, ...signed } = delivery();
    const own = headers['webhook-signature'] ?? '';
    const other = `v1,${btoa('x'.repeat(32))}`;
    for (const signature of [`${other} ${own}`, `${own} ${other}`, `v2,abc ${own}`]) {
      const all = { ...headers, 'webhook-signature': signature };
      await expect(verifyWebhook({ ...signed, headers: all })).resolves.toBeDefined();
    }
  });

  it('accepts a timestamp that is up to 5 minutes off, or as far as it is told', async () => {
    for (const seconds of [-295, 295]) {
      await expect(verifyWebhook(delivery(from(seconds)))).resolves.toBeDefined();
    }
    for (const seconds of [-305, 305]) {
      await expect(verifyWebhook(delivery(from(seconds)))).rejects.toThrow('too far off');
      const tolerant = { ...delivery(from(seconds)), toleranceSeconds: 310 };
      await expect(verifyWebhook(tolerant)).resolves.toBeDefined();
    }
  });

  it.each([
    ['another body', { body: BODY.replace('ü', 'u') }, 'No signature matches.'],
    ['another secret', { secret: `whsec_${btoa('x'.repeat(24))}` }, 'No signature matches.'],
  ])('rejects %s', async (_, change, message) => {
    await expect(verifyWebhook({ ...delivery(), ...change })).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      message,
    });
  });

  it.each([
    ['webhook-id', 'e-2', 'No signature matches.'],
    ['webhook-id', undefined, 'The header webhook-id is missing.'],
    ['webhook-timestamp', '', 'The header webhook-timestamp is missing.'],
    ['webhook-timestamp', 'NaN', 'The timestamp is too far off.'],
    ['webhook-timestamp', '-1', 'The timestamp is too far off.'],
    ['webhook-signature', undefined, 'The header webhook-signature is missing.'],
    ['webhook-signature', 'v1,', 'No signature matches.'],
    ['webhook-signature', 'v1,%', 'No signature matches.'],
  ])('rejects the header %s: %s', async (name, value, message) => {
    const signed = delivery();
    const headers = { ...signed.headers, [name]: value };
    await expect(verifyWebhook({ ...signed, headers })).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      message,
    });
  });

  it('fails as a wrong call if the secret is missing or is not one', async () => {
    for (const secret of ['', 'whsec_', 'whsec_%']) {
      await expect(verifyWebhook({ ...delivery(), secret })).rejects.toBeInstanceOf(TypeError);
    }
  });
});
