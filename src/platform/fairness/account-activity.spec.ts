import { AccountActivity } from './account-activity';

describe('AccountActivity', () => {
  let nowMs = 0;
  const activity = (): AccountActivity => new AccountActivity(() => nowMs);

  it('does not count an account as another one beside itself', () => {
    const accounts = activity();
    accounts.recordCall('a');
    expect(accounts.hasOtherActiveAccounts('a')).toBe(false);
    expect(accounts.hasOtherActiveAccounts('b')).toBe(true);
  });

  it('forgets an account after ten seconds without a request', () => {
    const accounts = activity();
    nowMs = 1_000;
    accounts.recordCall('a');
    accounts.recordCall('b');
    nowMs = 11_000;
    expect(accounts.hasOtherActiveAccounts('a')).toBe(true);
    nowMs = 11_001;
    expect(accounts.hasOtherActiveAccounts('a')).toBe(false);
  });

  it('counts the ten seconds from the last request, not from the first', () => {
    const accounts = activity();
    nowMs = 0;
    accounts.recordCall('a');
    accounts.recordCall('b');
    nowMs = 9_000;
    accounts.recordCall('a');
    nowMs = 15_000;
    expect(accounts.hasOtherActiveAccounts('b')).toBe(true);
    expect(accounts.hasOtherActiveAccounts('a')).toBe(false);
  });
});
