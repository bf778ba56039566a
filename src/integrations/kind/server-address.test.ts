import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { gotify } from '../gotify/gotify.ts';
import { ntfy } from '../ntfy/ntfy.ts';
import { keepMasked } from '../settings/kept-secrets.ts';
import { atServer, serverUrlField } from './server-address.ts';
import { MASK } from './setting.ts';

suite('the address of a server', () => {
  const read: [given: string, url: string | null][] = [
    ['https://a.example', 'https://a.example'],
    ['a.example/', 'https://a.example'],
    ['http://a.example:8123/sub/path//', 'http://a.example:8123/sub/path'],
    ['http://[::1]:80', 'http://[::1]:80'],
    ['https://user:pass@a.example', null],
    ['https://a.example/?token=x', null],
    ['https://a.example/#x', null],
    ['ftp://a.example', null],
    ['foo bar', null],
  ];
  for (const [given, url] of read) {
    test(`${given} is ${url === null ? 'refused' : `read as ${url}`}`, () => {
      const value = serverUrlField.read(given, 'url');

      assert.equal(value instanceof Fault ? null : value, url);
    });
  }

  test('keeps its path before that of what is there', () => {
    assert.equal(atServer('https://a.example', 'message'), 'https://a.example/message');
    assert.equal(atServer('https://a.example/sub', 'message'), 'https://a.example/sub/message');
  });
});

suite('a masked token', () => {
  const stored = { url: 'https://push.example/sub', token: 'secret' };
  const kept: [url: string, isKept: boolean][] = [
    ['https://push.example/sub', true],
    ['push.example/sub/', true],
    ['https://PUSH.example:443/sub', true],
    ['https://push.example/elsewhere', false],
    ['http://push.example/sub', false],
    ['https://push.example:8443/sub', false],
    ['https://evil.example/', false],
    ['not an address', false],
  ];
  for (const [url, isKept] of kept) {
    test(`is ${isKept ? '' : 'not '}kept for ${url}`, () => {
      const values = keepMasked(gotify.settings, { url, token: MASK }, stored);

      assert.equal(values instanceof Fault, !isKept);
      if (!(values instanceof Fault)) assert.equal(values.token, 'secret');
    });
  }

  test('is kept for the usual server, whether it is named or not', () => {
    const token = { topic: 'news', token: 'secret' };

    for (const [given, before] of [
      [{}, { url: 'https://ntfy.sh' }],
      [{ url: 'ntfy.sh' }, {}],
    ] as const) {
      const values = keepMasked(
        ntfy.settings,
        { ...given, topic: MASK, token: MASK },
        { ...before, ...token },
      );

      assert.deepEqual(values, { ...given, ...token });
    }
  });
});
