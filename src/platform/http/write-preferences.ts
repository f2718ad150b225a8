import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { WriteResponse } from '../../common/envelope/write-response';
import type { CountedResponse } from '../load/load';
import { requestOf, responseOf } from '../load/exchange';

const MINIMAL = 'return=minimal';

const readPreferences = createParamDecorator(
  (_: unknown, context: ExecutionContext): WriteResponse => {
    const response = responseOf(context);
    const isMinimal = prefersMinimal(requestOf(context).headers['prefer']);
    if (isMinimal) response.setHeader('Preference-Applied', MINIMAL);
    return writeResponse(response, isMinimal);
  },
);

/** Response options of a write that has only one response form. */
export const ReservedResponse = createParamDecorator(
  (_: unknown, context: ExecutionContext): WriteResponse => {
    const response = responseOf(context);
    return writeResponse(response, false);
  },
);

/**
 * Reads `Prefer: return=minimal` or `return=representation` (RFC 7240). Other preferences are
 * ignored.
 */
export const WritePreferences = (): ParameterDecorator => (prototype, method, index) => {
  readPreferences()(prototype, method, index);
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method ?? '') ?? {};
  ApiHeader({
    name: 'Prefer',
    required: false,
    description:
      '`return=minimal` returns IDs and revisions in place of whole rows. Use it for many or large rows. The default is `return=representation`.',
    schema: { type: 'string', enum: [MINIMAL, 'return=representation'] },
  })(prototype, method ?? '', descriptor);
};

function writeResponse(response: CountedResponse, isMinimal: boolean): WriteResponse {
  return {
    isMinimal,
    reserve: (bytes) => {
      response.reserve(bytes);
    },
  };
}

/**
 * Returns whether the client prefers a minimal response. If it sends several preferences, the first
 * counts.
 */
function prefersMinimal(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const preferences = String(header).toLowerCase().split(/[,;]/);
  const returns = preferences.map((each) => each.replace(/[\s"]/g, ''));
  return returns.find((each) => each.startsWith('return=')) === MINIMAL;
}
