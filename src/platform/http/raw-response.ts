import type { Response } from 'express';

/** Complete response. It is sent unchanged, whatever the status of its route. */
export class RawResponse {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string>>,
    /** JSON text; `null` for no body. */
    readonly body: string | null,
  ) {}

  send(response: Response): void {
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    response.setHeader('Cache-Control', 'no-store');
    response.statusCode = this.status;
    if (this.body === null) {
      response.end();
      return;
    }
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(this.body));
    response.end(this.body);
  }
}
