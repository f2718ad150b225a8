import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { request } from '../api/client';
import type { Session } from '../api/types';
import { text } from '../text/text';

export type NewPasskeyOptions = PublicKeyCredentialCreationOptionsJSON;

/** Whether the browser can use passkeys: it is recent, and the page has a secure address. */
export const canUsePasskeys = browserSupportsWebAuthn();

/** What the browser returns for a challenge, for the server. */
export type PasskeyResponse = object;

/** Asks the browser for a new passkey. @throws Error with a text for the user */
export const createPasskey = (optionsJSON: NewPasskeyOptions): Promise<PasskeyResponse> =>
  explaining(() => startRegistration({ optionsJSON }));

/** Proves the signed-in user by a passkey. @throws Error with a text for the user */
export const provePasskey = (): Promise<PasskeyResponse> => sign('/factors/challenge');

/** Signs in by a passkey. @throws Error with a text for the user */
export async function signInByPasskey(): Promise<Session> {
  const passkey = await sign('/session/challenge');
  const options = { body: { passkey }, isSessionQuiet: true };
  return (await request<Session>('POST', '/session/passkey', options)).data;
}

async function sign(path: string): Promise<PasskeyResponse> {
  const options = { isSessionQuiet: path.startsWith('/session/') };
  const { data } = await request<PublicKeyCredentialRequestOptionsJSON>('POST', path, options);
  return explaining(() => startAuthentication({ optionsJSON: data }));
}

async function explaining<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const t = text.passkeys;
  if (!(error instanceof Error)) return t.failed;
  if (error instanceof WebAuthnError) {
    if (error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return t.known;
    if (error.code === 'ERROR_INVALID_DOMAIN' || error.code === 'ERROR_INVALID_RP_ID')
      return t.address;
  }
  return error.name === 'NotAllowedError' || error.name === 'AbortError' ? t.cancelled : t.failed;
}
