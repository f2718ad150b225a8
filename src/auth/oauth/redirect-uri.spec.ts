import { isRedirectUri, isRegistered, targetOf, withParameters } from './redirect-uri';

describe('a redirect URI', () => {
  it.each([
    'https://app.example.com/callback',
    'https://app.example.com/callback?tenant=1',
    'http://localhost/callback',
    'http://127.0.0.1:8080/callback',
    'http://[::1]:8080/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/callback',
    'com.example.http:/callback',
  ])('may be %s', (uri) => {
    expect(isRedirectUri(uri)).toBe(true);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'blob:https://a.example/x',
    'file:///etc/passwd',
    'http://app.example.com/callback',
    'http://localhost.evil.example/callback',
    'https://app.example.com/callback#fragment',
    'https://app.example.com/callback#',
    'https://user@app.example.com/callback',
    'https://app.example.com/call\0back',
    ' https://app.example.com/callback',
    'https://app.example.com/ä',
    'https:app.example.com/callback',
    'https:/app.example.com/callback',
    'https:///app.example.com/callback',
    'https:\\\\app.example.com/callback',
    'https://app.example.com\\@evil.example/callback',
    'http:localhost/callback',
    'http.evil.app://app.example.com/callback',
    'https.evil.app://app.example.com/callback',
    'HTTP.evil.app://app.example.com/callback',
    'httpx.evil.app:/callback',
    '/callback',
    '',
    `https://app.example.com/${'a'.repeat(500)}`,
  ])('may not be %j', (uri) => {
    expect(isRedirectUri(uri)).toBe(false);
  });
});

describe('the redirect URI of a request', () => {
  it('is compared as a text', () => {
    const registered = ['https://app.example.com/callback'];
    expect(isRegistered('https://app.example.com/callback', registered)).toBe(true);
    for (const other of [
      'https://app.example.com/callback/',
      'https://app.example.com/callback?x=1',
      'https://app.example.com:443/callback',
      'https://APP.example.com/callback',
      'https://app.example.com/callback/../callback',
      'https://evil.example/callback',
      'http://localhost/callback',
    ]) {
      expect({ other, is: isRegistered(other, registered) }).toEqual({ other, is: false });
    }
  });

  it('may have another port on the machine of the user, and nothing else', () => {
    const registered = ['http://localhost:1000/callback', 'http://[::1]/callback'];
    expect(isRegistered('http://localhost:2000/callback', registered)).toBe(true);
    expect(isRegistered('http://localhost/callback', registered)).toBe(true);
    expect(isRegistered('http://[::1]:2000/callback', registered)).toBe(true);
    for (const other of [
      'http://127.0.0.1:2000/callback',
      'http://localhost:2000/other',
      'http://localhost:2000/callback?x=1',
      'http://localhost:2000@evil.example/callback',
      'https://localhost:2000/callback',
    ]) {
      expect({ other, is: isRegistered(other, registered) }).toEqual({ other, is: false });
    }
  });

  it('gets the parameters of a response after its own', () => {
    const parameters = { code: 'a b', iss: 'https://data.example.com' };
    const added = 'code=a+b&iss=https%3A%2F%2Fdata.example.com';
    expect(withParameters('https://a.example/b', parameters)).toBe(`https://a.example/b?${added}`);
    expect(withParameters('https://a.example/b?c=1', parameters)).toBe(
      `https://a.example/b?c=1&${added}`,
    );
  });
});

describe('the target of a redirect URI', () => {
  it.each<[string, string, boolean]>([
    ['https://app.example.com/callback', 'app.example.com', false],
    ['https://app.example.com:444/callback', 'app.example.com:444', false],
    ['http://localhost:8080/callback', 'localhost:8080', true],
    ['com.evil.app://app.example.com/callback', 'com.evil.app', true],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor', true],
    ['com.example.app:/callback', 'com.example.app', true],
  ])('%s is %s', (uri, redirectHost, isLocal) => {
    expect(targetOf(uri)).toEqual({ redirectHost, isLocal });
  });
});
