import { setNonce } from 'get-nonce';

/** Nonce of the Content-Security-Policy. Every style element created here must have it. */
export const CSP_NONCE =
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

// For the library that disables scrolling behind an open dialog.
setNonce(CSP_NONCE);
