import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { requestOf, responseOf } from '../load/exchange';
import { BodyReader } from './body-reader';
import { markReadsBody, SMALL_BODY_BYTES } from './json-body';

const reader = new BodyReader(SMALL_BODY_BYTES);
const FORM = 'application/x-www-form-urlencoded';

/** Nest waits for the promise. */
const readForm = createParamDecorator(
  async (_: unknown, context: ExecutionContext): Promise<URLSearchParams> => {
    const request = requestOf(context);
    const bytes = await reader.receive(request, responseOf(context));
    const [type = ''] = (request.headers['content-type'] ?? '').split(';');
    if (bytes !== undefined && type.trim().toLowerCase() !== FORM)
      throw new AppError('unsupported_media_type', `Content-Type must be ${FORM}.`);
    return new URLSearchParams(bytes?.toString('utf8') ?? '');
  },
);

/** The form of a request of up to 16 kB, as HTML and OAuth send it. The service validates it. */
export const FormBody = (): ParameterDecorator => (prototype, method, index) => {
  readForm()(prototype, method, index);
  markReadsBody(Object.getOwnPropertyDescriptor(prototype, method ?? '')?.value);
};
