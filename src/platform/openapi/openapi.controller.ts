import { Get, type INestApplication, Injectable } from '@nestjs/common';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import { Public } from '../http/access';
import { PublicApiController } from '../routes/api-controller';
import { FileResponse } from '../http/file-response';
import { createDocument } from './create-document';

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'private, no-cache',
};

/** OpenAPI document, created and printed once. `serve` prepares it before it listens. */
@Injectable()
export class OpenApiDescription {
  private app: INestApplication | undefined;
  private prepared: FileResponse | undefined;

  /**
   * Sets the application to describe. `createApplication` calls it, because only the complete
   * application can be described.
   */
  describe(app: INestApplication): void {
    this.app = app;
  }

  /** Returns the response. The first call creates it and blocks the event loop for about 0.3 s. */
  prepare(): FileResponse {
    this.prepared ??= FileResponse.prepared(this.text, HEADERS);
    return this.prepared;
  }

  get document(): OpenAPIObject {
    if (!this.app) throw new Error('No application to describe.');
    return createDocument(this.app);
  }

  /** The document as text, as stored in docs/openapi.json. */
  get text(): string {
    return `${JSON.stringify(this.document, null, 2)}\n`;
  }
}

@ApiExcludeController()
@PublicApiController('openapi.json')
export class OpenApiController {
  constructor(private readonly description: OpenApiDescription) {}

  /** Returns the document itself, without the response envelope, because tools read it directly. */
  @Get()
  @Public()
  get(): FileResponse {
    return this.description.prepare();
  }
}
