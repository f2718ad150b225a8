import { nameOfBrowser } from './browser-name';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('nameOfBrowser', () => {
  it.each([
    [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/147.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Linux; Android 16) ${WEBKIT} Chrome/147.0 Safari/537.36`, 'Chrome on Android'],
    [
      `Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/147.0 Safari/537.36 Edg/147.0`,
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1',
      'Safari on iOS',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) Version/19.0 Safari/604.1', 'Safari on macOS'],
    ['curl/8.5', 'Another browser'],
    [null, 'Another browser'],
  ])('names the browser and system of %s', (userAgent, name) => {
    expect(nameOfBrowser(userAgent)).toBe(name);
  });
});
