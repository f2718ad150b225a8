import type { ExecutionContext } from '@nestjs/common';
import { lastValueFrom, of } from 'rxjs';
import { JsonResponse } from '../../common/envelope/json-response';
import { EnvelopeInterceptor } from './envelope.interceptor';

const LARGE = JSON.stringify('x'.repeat(100_000));

/** Returns what the interceptor makes of the result of a read, while no memory is left. */
function intercepted(result: unknown): Promise<unknown> {
  const response = {
    reserve: () => {
      throw new Error('No memory is left.');
    },
  };
  const context = {
    getHandler: () => intercepted,
    getArgByIndex: (index: number) => [{}, response][index],
  } as unknown as ExecutionContext;
  return lastValueFrom(new EnvelopeInterceptor().intercept(context, { handle: () => of(result) }));
}

describe('EnvelopeInterceptor', () => {
  it('wraps an object, and makes 204 of nothing', async () => {
    expect(await intercepted({ id: 1 })).toMatchObject({
      text: '{"data":{"id":1}}',
      parts: { etag: expect.stringMatching(/^"[\w-]{27}"$/) as string },
    });
    expect(await intercepted(undefined)).toMatchObject({ text: null, parts: { status: 204 } });
  });

  it('prints numbers as JavaScript does', async () => {
    const response = JsonResponse.printed(`[1${'0'.repeat(22)}]`);
    expect(await intercepted(response)).toMatchObject({ text: '{"data":[1e+22]}' });
  });

  it('rejects a large read for which no memory is left', async () => {
    await expect(intercepted(JsonResponse.printed(LARGE))).rejects.toThrow('No memory is left.');
  });

  it('passes a complete response, which may report a committed change, whatever memory is left', async () => {
    const response = JsonResponse.complete(200, {}, LARGE);
    expect(await intercepted(response)).toBe(response);
  });
});
