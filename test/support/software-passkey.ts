import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Json } from './api-client';

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** Bytes of a CBOR text, byte string or map. Lengths are below 65,536. */
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff]);
}

const cborText = (text: string): Buffer => Buffer.concat([head(3, text.length), Buffer.from(text)]);
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([head(2, bytes.length), bytes]);
const cborInt = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const cborMap = (...pairs: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([head(5, pairs.length), ...pairs.flat()]);

/** What a browser and an authenticator may do wrong. */
export interface Fault {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly type?: string;
  readonly counter?: number;
}

/** A passkey with its browser, as WebAuthn describes them. */
export class SoftwarePasskey {
  readonly id = randomBytes(32).toString('base64url');
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private counter = 0;

  /** @param origin Origin of the page. */
  constructor(private readonly origin: string) {}

  /** Returns the response to the options of a registration. */
  create(options: Json, fault: Fault = {}): object {
    const { rp, challenge } = options as { rp: { id: string }; challenge: string };
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const coordinates = [x, y].map((text) => cborBytes(Buffer.from(text, 'base64url')));
    const [ofX = Buffer.alloc(0), ofY = Buffer.alloc(0)] = coordinates;
    const key = cborMap(
      [cborInt(1), cborInt(2)],
      [cborInt(3), cborInt(-7)],
      [cborInt(-1), cborInt(1)],
      [cborInt(-2), ofX],
      [cborInt(-3), ofY],
    );
    const id = Buffer.from(this.id, 'base64url');
    const credential = [Buffer.alloc(16), Buffer.from([0, id.length]), id, key];
    const data = Buffer.concat([this.data(rp.id, 0x40, fault), ...credential]);
    const attestation = cborMap(
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap()],
      [cborText('authData'), cborBytes(data)],
    );
    return this.response({
      clientDataJSON: this.clientData('webauthn.create', challenge, fault).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Returns the response to a challenge. */
  sign(options: Json, fault: Fault = {}): object {
    const { rpId, challenge } = options as { rpId: string; challenge: string };
    const data = this.data(rpId, 0, fault);
    const clientData = this.clientData('webauthn.get', challenge, fault);
    const signed = Buffer.concat([data, sha256(clientData)]);
    return this.response({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
    });
  }

  private response(response: object): object {
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response,
    };
  }

  /** The authenticator data without a credential. */
  private data(rpId: string, flags: number, fault: Fault): Buffer {
    this.counter = fault.counter ?? this.counter + 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const verified = fault.isVerified === false ? 0 : 4;
    return Buffer.concat([
      sha256(fault.rpId ?? rpId),
      Buffer.from([1 | verified | flags]),
      counter,
    ]);
  }

  private clientData(type: string, challenge: string, fault: Fault): Buffer {
    const { origin = this.origin } = fault;
    return Buffer.from(JSON.stringify({ type: fault.type ?? type, challenge, origin }));
  }
}
