import { setNonce } from 'get-nonce';

/** The Content-Security-Policy's nonce, which every style element made here must carry. */
export const CSP_NONCE =
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

// For what locks scrolling behind an open dialog.
setNonce(CSP_NONCE);
