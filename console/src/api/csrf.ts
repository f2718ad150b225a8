/** Goes with every request that changes something. It belongs to the session. */
let token: string | undefined;

export function csrfToken(): string | undefined {
  return token;
}

export function setCsrfToken(next: string | undefined): void {
  token = next;
}
