import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { requestOf, responseOf } from '../load/exchange';
import { BodyReader } from './body-reader';
import { markReadsBody, SMALL_BODY_BYTES } from './json-body';

const FORM = 'application/x-www-form-urlencoded';

/** Nest waits for the promise. */
const readForm = createParamDecorator(
  async (maxBytes: number, context: ExecutionContext): Promise<URLSearchParams> => {
    const request = requestOf(context);
    const bytes = await new BodyReader(maxBytes).receive(request, responseOf(context));
    const [type = ''] = (request.headers['content-type'] ?? '').split(';');
    if (bytes !== undefined && type.trim().toLowerCase() !== FORM)
      throw new AppError('unsupported_media_type', `Content-Type must be ${FORM}.`);
    return new URLSearchParams(bytes?.toString('utf8') ?? '');
  },
);

/** The form of a request, as HTML, OAuth and SAML send it. The service validates it. */
export const FormBody =
  (maxBytes = SMALL_BODY_BYTES): ParameterDecorator =>
  (prototype, method, index) => {
    readForm(maxBytes)(prototype, method, index);
    markReadsBody(Object.getOwnPropertyDescriptor(prototype, method ?? '')?.value);
  };
