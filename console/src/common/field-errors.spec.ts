import { ApiError } from '../api/api-error';
import { formErrors } from './field-errors';

const invalid = (...fields: string[]): ApiError =>
  new ApiError(
    400,
    'invalid_request',
    'name: is missing',
    fields.map((field) => ({ field, code: 'required', message: 'is missing' })),
  );

describe('formErrors', () => {
  it('returns the message for each field as a sentence', () => {
    expect(formErrors(invalid('name'), ['name', 'expiresAt'])).toEqual({
      fields: { name: 'Is missing.' },
      rest: undefined,
    });
  });

  it('returns messages for unknown fields separately', () => {
    expect(formErrors(invalid('name', 'colour'), ['name'])).toEqual({
      fields: { name: 'Is missing.' },
      rest: 'colour: is missing',
    });
  });

  it('assigns a message for an item of a list to the field of the list', () => {
    expect(formErrors(invalid('name.3'), ['name'])).toEqual({
      fields: { name: 'Is missing.' },
      rest: undefined,
    });
    expect(formErrors(invalid('name.first'), ['name']).rest).toBe('name.first: is missing');
  });

  it('returns the message of an error without fields', () => {
    const conflict = new ApiError(409, 'conflict', 'The account must keep an owner.');
    expect(formErrors(conflict, ['role'])).toEqual({
      fields: {},
      rest: 'The account must keep an owner.',
    });
  });

  it('adds the time to wait', () => {
    const limited = new ApiError(429, 'rate_limited', 'Too many tries.', [], undefined, 12);
    expect(formErrors(limited, []).rest).toBe('Too many tries. Try again in 12 s.');
  });

  it('says that nothing is lost if the server is unavailable', () => {
    const outage = new ApiError(0, 'unreachable', 'The server cannot be reached.');
    expect(formErrors(outage, []).rest).toMatch(
      /^The server cannot be reached\. What you typed is still here/,
    );
  });

  it('returns nothing without an error', () => {
    expect(formErrors(null, ['name'])).toEqual({ fields: {}, rest: undefined });
  });
});
