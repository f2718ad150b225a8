import { Injectable, type INestApplication } from '@nestjs/common';
import { PreparedAnswer } from '../http/prepared-answer';
import { createDocument } from './create-document';

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'private, no-cache',
};

/** The API's description, made and printed once: `serve` has it made before it listens. */
@Injectable()
export class OpenApiDescription {
  private app: INestApplication | undefined;
  private prepared: PreparedAnswer | undefined;

  /** Only the whole application can be described: `createApplication` hands it in. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  /** Makes the response at the first call, which takes the event loop some 0.3 s. */
  prepare(): PreparedAnswer {
    this.prepared ??= new PreparedAnswer(this.text, HEADERS);
    return this.prepared;
  }

  /** Printed as it is kept in docs/openapi.json. */
  get text(): string {
    if (!this.app) throw new Error('No application to describe.');
    return `${JSON.stringify(createDocument(this.app), null, 2)}\n`;
  }
}
