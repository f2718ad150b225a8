import { Injectable, type INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createDocument } from './create-document';

/** The API's description, made and printed once, when it is first asked for. */
@Injectable()
export class OpenApiDescription {
  private app: INestApplication | undefined;
  private made: OpenAPIObject | undefined;
  private printed: string | undefined;

  /** Only the whole application can be described: `createApplication` hands it in. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  get document(): OpenAPIObject {
    if (!this.app) throw new Error('No application to describe.');
    this.made ??= createDocument(this.app);
    return this.made;
  }

  /** Printed as it is kept in docs/openapi.json. */
  get text(): string {
    this.printed ??= `${JSON.stringify(this.document, null, 2)}\n`;
    return this.printed;
  }
}
