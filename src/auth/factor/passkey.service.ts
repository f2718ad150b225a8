import { Injectable } from '@nestjs/common';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  SettingsService,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import { type AppError, conflict, invalidField } from '../../common/error/app-error';
import { newId } from '../../common/text/id';
import type { UserRecord } from '../user/user.repository';
import type { ChallengePurpose } from './passkey.entity';
import { type PasskeyRecord, PasskeyRepository } from './passkey.repository';

/** Time in which a challenge must be signed. */
const LIFETIME_MS = 5 * 60_000;
const MAX_PASSKEYS = 20;
/** Length of 1,023 bytes in base64url, as WebAuthn allows. */
const MAX_CREDENTIAL_ID = 1_364;
/** The name that a browser shows. */
const NAME = 'Datagrid';

// The options ask for no attestation. Without roots, the library checks no certificates, for which it would call
// other servers.
for (const identifier of [
  'android-key',
  'android-safetynet',
  'apple',
  'fido-u2f',
  'packed',
  'tpm',
  'mds',
] as const)
  SettingsService.setRootCertificates({ identifier, certificates: [] });

/** The site that passkeys are for. A passkey of another site is not accepted. */
export interface Site {
  /** Host name, without a port. */
  readonly id: string;
  /** Such as `https://data.example.com`. */
  readonly origin: string;
}

/** What a browser returns for a challenge. Only the library that checks it reads it. */
export type PasskeyResponse = Readonly<Record<string, unknown>>;

export type NewPasskeyOptions = PublicKeyCredentialCreationOptionsJSON;
export type PasskeyOptions = PublicKeyCredentialRequestOptionsJSON;

/** Outcome of a response. `no_challenge`: its challenge was used, has expired, or was made for something else. */
export type PasskeyUse = 'used' | 'wrong' | 'no_challenge';

/** A passkey, for its user. */
export type PasskeyView = Pick<PasskeyRecord, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>;

/**
 * Passkeys of console users, by WebAuthn. The authenticator verifies its user, so that a passkey replaces the
 * password and a second factor. Each challenge is used once.
 */
@Injectable()
export class PasskeyService {
  constructor(private readonly repository: PasskeyRepository) {}

  async listOf(userId: string): Promise<PasskeyView[]> {
    const passkeys = await this.repository.listOf(userId);
    return passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
      id,
      name,
      createdAt,
      lastUsedAt,
    }));
  }

  /** Begins to add a passkey. @throws AppError `conflict` if the user has too many. */
  async begin({ id, email }: UserRecord, site: Site): Promise<NewPasskeyOptions> {
    const passkeys = await this.requireRoom(id);
    const options = await generateRegistrationOptions({
      ...{ rpName: NAME, rpID: site.id, userName: email, userDisplayName: email },
      userID: userHandle(id),
      timeout: LIFETIME_MS,
      attestationType: 'none',
      excludeCredentials: passkeys.map(credentialOf),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await this.remember(options.challenge, 'registration', id);
    return options;
  }

  /**
   * Checks a new passkey, before `add`.
   * @throws AppError `invalid_request` if it was not made for a challenge of `begin`.
   */
  async check(userId: string, response: PasskeyResponse, site: Site): Promise<WebAuthnCredential> {
    if (!(await this.take(response, 'registration', userId))) throw wrongPasskey();
    const info = await unlessWrong(async () => {
      const { registrationInfo } = await verifyRegistrationResponse({
        response: response as unknown as RegistrationResponseJSON,
        ...expectationOf(response, site),
      });
      return registrationInfo ?? null;
    });
    if (!info || info.credential.id.length > MAX_CREDENTIAL_ID) throw wrongPasskey();
    return info.credential;
  }

  /** Adds a checked passkey. Requires the lock of the user. @throws AppError `conflict` */
  async add(userId: string, name: string, credential: WebAuthnCredential): Promise<void> {
    await this.requireRoom(userId);
    const { id, publicKey, counter, transports } = credential;
    const isNew = await this.repository.insert({
      ...{ id: newId(), userId, name, credentialId: id, publicKey: Buffer.from(publicKey) },
      ...{ counter, transports: knownTransports(transports) },
      ...{ createdAt: new Date(), lastUsedAt: null },
    });
    if (!isNew) throw conflict('This passkey is already registered.');
  }

  /** Returns a challenge for the passkeys of a user; `null` for those of anybody, to sign in. */
  async challenge(userId: string | null, site: Site): Promise<PasskeyOptions> {
    const passkeys = userId === null ? [] : await this.repository.listOf(userId);
    const options = await generateAuthenticationOptions({
      ...{ rpID: site.id, timeout: LIFETIME_MS, userVerification: 'required' },
      ...(userId !== null && { allowCredentials: passkeys.map(credentialOf) }),
    });
    await this.remember(options.challenge, userId === null ? 'sign_in' : 'proof', userId);
    return options;
  }

  /** Returns the passkey that a response says it is of; `null` if it is unknown. */
  async find({ id }: PasskeyResponse): Promise<PasskeyRecord | null> {
    return typeof id === 'string' ? this.repository.findByCredential(id) : null;
  }

  /**
   * Checks that a passkey has signed a challenge of `challenge`, and notes the use.
   * @param userId User whom the challenge was made for; `null` for a sign-in.
   * @returns `wrong` if the signature is, or the passkey is of another user.
   */
  async use(
    passkey: PasskeyRecord,
    response: PasskeyResponse,
    userId: string | null,
    site: Site,
  ): Promise<PasskeyUse> {
    const { id, credentialId, counter, publicKey } = passkey;
    const purpose = userId === null ? 'sign_in' : 'proof';
    if (!(await this.take(response, purpose, userId))) return 'no_challenge';
    if (userId !== null && passkey.userId !== userId) return 'wrong';
    const info = await unlessWrong(async () => {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        credential: { id: credentialId, counter, publicKey: new Uint8Array(publicKey) },
        ...expectationOf(response, site),
      });
      return verified ? authenticationInfo : null;
    });
    if (!info) return 'wrong';
    await this.repository.noteUse(id, info.newCounter);
    return 'used';
  }

  /** Whether the passkey exists still. */
  async has(id: string): Promise<boolean> {
    return this.repository.has(id);
  }

  /** Returns whether a user has a passkey. */
  async hasAny(userId: string): Promise<boolean> {
    return this.repository.hasAny(userId);
  }

  /** Returns the ids of the account's users who have a passkey. */
  async listHolders(accountId: string): Promise<readonly string[]> {
    return this.repository.listHolders(accountId);
  }

  /** Removes a passkey of a user. @returns its name; `null` if there is none. */
  async remove(userId: string, id: string): Promise<string | null> {
    const passkey = (await this.repository.listOf(userId)).find((each) => each.id === id);
    return passkey && (await this.repository.delete(userId, id)) ? passkey.name : null;
  }

  /** Removes all passkeys of a user. @returns whether there were any. */
  async removeAll(userId: string): Promise<boolean> {
    return this.repository.deleteAll(userId);
  }

  private async requireRoom(userId: string): Promise<readonly PasskeyRecord[]> {
    const passkeys = await this.repository.listOf(userId);
    if (passkeys.length < MAX_PASSKEYS) return passkeys;
    throw conflict(`You have ${String(MAX_PASSKEYS)} passkeys. Remove one first.`);
  }

  private async remember(
    challenge: string,
    purpose: ChallengePurpose,
    userId: string | null,
  ): Promise<void> {
    const expiresAt = new Date(Date.now() + LIFETIME_MS);
    await this.repository.putChallenge({ challenge, purpose, userId, expiresAt });
  }

  /** Uses up the challenge of a response. @returns `false` if it was used, or not made for this. */
  private async take(
    response: PasskeyResponse,
    purpose: ChallengePurpose,
    userId: string | null,
  ): Promise<boolean> {
    const challenge = challengeOf(response);
    return challenge !== null && this.repository.takeChallenge(challenge, purpose, userId);
  }
}

/** 400: the passkey does not prove what it should. */
export function wrongPasskey(): AppError {
  return invalidField('passkey', 'wrong_passkey', 'was not accepted; try again');
}

/** In base64url, at most 64 bytes. It is the id, which says nothing about the user. */
const userHandle = (id: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(id.replaceAll('-', ''), 'hex'));

const credentialOf = ({
  credentialId,
  transports,
}: PasskeyRecord): { id: string; transports: string[] } => ({ id: credentialId, transports });

/** Transports as a client reports them, which nothing has checked. */
const knownTransports = (transports: unknown): string[] =>
  (Array.isArray(transports) ? (transports as unknown[]) : [])
    .filter((each): each is string => typeof each === 'string' && /^[\w-]{1,20}$/.test(each))
    .slice(0, 10);

/** Returns the challenge that the browser says it was given; `null` if the response has none. */
function challengeOf({ response }: PasskeyResponse): string | null {
  const { clientDataJSON } = (response ?? {}) as { clientDataJSON?: unknown };
  if (typeof clientDataJSON !== 'string') return null;
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as unknown;
    const { challenge } = (data ?? {}) as { challenge?: unknown };
    return typeof challenge === 'string' && /^[\w-]{43}$/.test(challenge) ? challenge : null;
  } catch {
    return null;
  }
}

/** What the signed data must have. The challenge of the response was taken before. */
function expectationOf(
  response: PasskeyResponse,
  site: Site,
): { expectedChallenge: string; expectedOrigin: string; expectedRPID: string } {
  return {
    expectedChallenge: challengeOf(response) ?? '',
    expectedOrigin: site.origin,
    expectedRPID: site.id,
  };
}

/** Returns `null` if the check of a response throws, as it does for each wrong one. It reads nothing else. */
async function unlessWrong<T>(check: () => Promise<T | null>): Promise<T | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}
