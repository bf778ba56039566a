import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { proxyFor } from './proxy.ts';

const HTTPS = new URL('https://ping.example.org/uuid');
const HTTP = new URL('http://ping.example.org:8000/uuid');

suite('the proxy of an address', () => {
  test('is named by the variable of its scheme, in either case', () => {
    const env = { HTTPS_PROXY: 'http://secure:3128', http_proxy: 'plain:8080' };
    assert.equal(proxyFor(HTTPS, env)?.host, 'secure:3128');
    assert.equal(proxyFor(HTTP, env)?.href, 'http://plain:8080/');
    assert.equal(proxyFor(HTTPS, { HTTP_PROXY: 'plain:8080' }), null);
    assert.equal(proxyFor(HTTPS, { HTTPS_PROXY: '' }), null);
  });

  test('is none where the variable names no proxy that we can use', () => {
    assert.equal(proxyFor(HTTPS, { HTTPS_PROXY: 'socks5://localhost:1080' }), null);
    assert.equal(proxyFor(HTTPS, { HTTPS_PROXY: 'http://[' }), null);
  });

  test('is none that a stranger names by a request to a CGI program', () => {
    assert.equal(proxyFor(HTTP, { REQUEST_METHOD: 'GET', HTTP_PROXY: 'evil:1' }), null);
    assert.equal(proxyFor(HTTP, { REQUEST_METHOD: 'GET', http_proxy: 'own:1' })?.host, 'own:1');
  });

  const excepted: readonly [list: string, isExcepted: boolean][] = [
    ['ping.example.org', true],
    ['example.org', true],
    ['.example.org', true],
    ['*.example.org', true],
    ['*', true],
    ['other, EXAMPLE.ORG other', true],
    ['ample.org', false],
    ['ping.example.org:8000', true],
    ['ping.example.org:443', false],
    ['10.0.0.0/8', false],
    ['.', false],
    ['', false],
  ];
  for (const [list, isExcepted] of excepted) {
    test(`is ${isExcepted ? 'none' : 'used'} with NO_PROXY ${JSON.stringify(list)}`, () => {
      assert.equal(proxyFor(HTTP, { HTTP_PROXY: 'p:1', NO_PROXY: list }) === null, isExcepted);
    });
  }

  test('is none for addresses and ranges that are excepted', () => {
    const proxied = (url: string, list: string) =>
      proxyFor(new URL(url), { http_proxy: 'p:1', no_proxy: list }) !== null;
    assert.equal(proxied('http://10.1.2.3/', '10.0.0.0/8'), false);
    assert.equal(proxied('http://11.1.2.3/', '10.0.0.0/8'), true);
    assert.equal(proxied('http://10.1.2.3/', '10.0.0.0/99'), true);
    assert.equal(proxied('http://127.0.0.1/', '127.0.0.1'), false);
    assert.equal(proxied('http://127.0.0.1/', '0.0.1'), true);
    assert.equal(proxied('http://[::1]:80/', '::1'), false);
    assert.equal(proxied('http://[::1]:81/', '[::1]:80'), true);
    assert.equal(proxied('http://[fd00::1]/', 'fd00::/8'), false);
  });
});
