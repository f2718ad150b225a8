const BASE = '/api/v1/public';

/** Calls the API of a service for the preparation of a measure. */
export class Api {
  constructor(
    private readonly port: number,
    private readonly key: string,
  ) {}

  /** @throws Error if the response is not a success */
  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${String(this.port)}${BASE}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Returns the cursor at the end of a datagrid's changes. */
  async latest(datagridId: string): Promise<string> {
    const path = `/datagrids/${datagridId}/changes?cursor=latest`;
    return (await this.send<{ meta: { nextCursor: string } }>('GET', path)).meta.nextCursor;
  }
}
