import {
  DETAIL_MESSAGES,
  ERROR_MESSAGES,
  isDetailMessage,
  isErrorMessage,
} from '../support/public-messages';
import { collectMessages } from './collect-messages';

describe('test/support/public-messages.ts', () => {
  it('lists every public message of the sources verbatim, and no other', () => {
    const listed = [...ERROR_MESSAGES, ...DETAIL_MESSAGES].sort();
    expect(collectMessages()).toEqual(listed);
  }, 60_000);

  it('lists whole sentences as messages of errors, and predicates as messages of details', () => {
    expect(ERROR_MESSAGES.filter((text) => !/(?:\.|…)$/.test(text))).toEqual([]);
    expect(DETAIL_MESSAGES.filter((text) => text.endsWith('.'))).toEqual([]);
  });

  it('contains only plain words', () => {
    const odd = /\brefus|\bheard\b|as it stands|at the moment|for now|\bgiven out\b|against|\bhold/;
    const messages = [...ERROR_MESSAGES, ...DETAIL_MESSAGES];
    expect(messages.filter((text) => odd.test(text))).toEqual([]);
  });

  it.each([
    ['The server is overloaded. Retry later.', true],
    ['limit: must be an integer from 1 to 200', true],
    ['rows.3.values.a: must be unique, but row 7 already has this value', true],
    ['The server is busy.', false],
    ['limit: is not one', false],
  ])('matches "%s" as the message of an error: %s', (text, isListed) => {
    expect(isErrorMessage(text)).toBe(isListed);
  });

  it.each([
    ['must be an integer from 1 to 200', true],
    ['unknown column "a"', true],
    ['is not a column', false],
  ])('matches "%s" as the message of a detail: %s', (text, isListed) => {
    expect(isDetailMessage(text)).toBe(isListed);
  });
});
