import fc from 'fast-check';
import { expectAlike, outcome, parse } from '../../../test/support/json-readers';
import { readJson } from './read-json';

// Random data at length.
describe('parseJson', () => {
  it('returns the same value as readJson', () => {
    const value = fc.oneof(fc.jsonValue(), fc.jsonValue({ stringUnit: 'binary' }));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const bytes = Buffer.from(JSON.stringify(json, null, indent));
        expect(outcome(() => parse(bytes).value)).toStrictEqual(outcome(() => readJson(bytes)));
      }),
      { numRuns: 1000 },
    );
  });

  it('rejects what readJson rejects, with the same error', () => {
    const characters = fc.constantFrom(...Array.from('[]{}",:\\0-.eutn1 \n\u0000é'));
    const text = fc
      .json()
      .chain((json) =>
        fc
          .tuple(fc.nat(json.length), characters)
          .map(([at, character]) => json.slice(0, at) + character + json.slice(at + 1)),
      );
    fc.assert(fc.property(text, expectAlike), { numRuns: 3000 });
  });
});
