import { AccountActivity } from './account-activity';

describe('AccountActivity', () => {
  let nowMs = 0;
  const activity = (): AccountActivity => new AccountActivity(() => nowMs);

  it('does not count an account as another one beside itself', () => {
    const accounts = activity();
    accounts.note('a');
    expect(accounts.hasOthersThan('a')).toBe(false);
    expect(accounts.hasOthersThan('b')).toBe(true);
  });

  it('forgets an account after ten seconds without a request', () => {
    const accounts = activity();
    nowMs = 1_000;
    accounts.note('a');
    accounts.note('b');
    nowMs = 11_000;
    expect(accounts.hasOthersThan('a')).toBe(true);
    nowMs = 11_001;
    expect(accounts.hasOthersThan('a')).toBe(false);
  });

  it('counts the ten seconds from the last request, not from the first', () => {
    const accounts = activity();
    nowMs = 0;
    accounts.note('a');
    accounts.note('b');
    nowMs = 9_000;
    accounts.note('a');
    nowMs = 15_000;
    expect(accounts.hasOthersThan('b')).toBe(true);
    expect(accounts.hasOthersThan('a')).toBe(false);
  });
});
