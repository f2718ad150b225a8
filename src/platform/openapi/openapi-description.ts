import { Injectable, type INestApplication } from '@nestjs/common';
import { PreparedAnswer } from '../http/prepared-answer';
import { createDocument } from './create-document';

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'private, no-cache',
};

/** OpenAPI document, created and printed once. `serve` prepares it before it listens. */
@Injectable()
export class OpenApiDescription {
  private app: INestApplication | undefined;
  private prepared: PreparedAnswer | undefined;

  /**
   * Sets the application to describe. `createApplication` calls it, because only the complete
   * application can be described.
   */
  describe(app: INestApplication): void {
    this.app = app;
  }

  /** Returns the response. The first call creates it and blocks the event loop for about 0.3 s. */
  prepare(): PreparedAnswer {
    this.prepared ??= new PreparedAnswer(this.text, HEADERS);
    return this.prepared;
  }

  /** The document as text, as stored in docs/openapi.json. */
  get text(): string {
    if (!this.app) throw new Error('No application to describe.');
    return `${JSON.stringify(createDocument(this.app), null, 2)}\n`;
  }
}
