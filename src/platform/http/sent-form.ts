import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { AppError } from '../../common/error/app-error';
import { requestOf, responseOf } from '../load/exchange';
import { BodyReader } from './body-reader';
import { markReadsBody } from './json-body';

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

/** Request body that a form of a page of another site has sent. */
export class SentForm {
  constructor(
    private readonly request: AppRequest,
    private readonly response: Response,
  ) {}

  /**
   * Returns the fields.
   * @throws AppError `invalid_request`, `payload_too_large` or `unsupported_media_type`.
   */
  async read(maxBytes: number): Promise<URLSearchParams> {
    if (!FORM_TYPE.test(this.request.headers['content-type'] ?? ''))
      throw new AppError(
        'unsupported_media_type',
        'Content-Type must be application/x-www-form-urlencoded.',
      );
    const bytes = await new BodyReader(maxBytes).receive(this.request, this.response);
    return new URLSearchParams(bytes?.toString('utf8'));
  }
}

const readForm = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new SentForm(requestOf(context), responseOf(context)),
);

/** The request body as a form, which the service reads. */
export const SentFields = (): ParameterDecorator => (prototype, method, index) => {
  readForm()(prototype, method, index);
  markReadsBody(Object.getOwnPropertyDescriptor(prototype, method ?? '')?.value);
};
