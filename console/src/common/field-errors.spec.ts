import { ApiError } from '../api/api-error';
import { formErrors } from './field-errors';

const invalid = (...fields: string[]): ApiError =>
  new ApiError(
    400,
    'invalid_request',
    'name: is missing',
    fields.map((field) => ({ field, code: 'required', message: 'is missing' })),
  );

it('puts what the server says of a field next to it, as a sentence', () => {
  expect(formErrors(invalid('name'), ['name', 'expiresAt'])).toEqual({
    fields: { name: 'Is missing.' },
    rest: undefined,
  });
});

it('loses nothing that belongs to none of the fields', () => {
  expect(formErrors(invalid('name', 'colour'), ['name'])).toEqual({
    fields: { name: 'Is missing.' },
    rest: 'colour: is missing',
  });
});

it('says what is wrong where no place is named', () => {
  const conflict = new ApiError(409, 'conflict', 'The account must keep an owner.');
  expect(formErrors(conflict, ['role'])).toEqual({
    fields: {},
    rest: 'The account must keep an owner.',
  });
});

it('says how long to wait', () => {
  const limited = new ApiError(429, 'rate_limited', 'Too many tries.', [], undefined, 12);
  expect(formErrors(limited, []).rest).toBe('Too many tries. Try again in 12 s.');
});

it('says that nothing is lost where the server is away', () => {
  const away = new ApiError(0, 'unreachable', 'The server cannot be reached.');
  expect(formErrors(away, []).rest).toMatch(/^The server cannot be reached\. Nothing you typed/);
});

it('says nothing where nothing failed', () => {
  expect(formErrors(null, ['name'])).toEqual({ fields: {}, rest: undefined });
});
