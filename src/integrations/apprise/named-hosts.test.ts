import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { namedHosts } from './named-hosts.ts';

suite('the hosts of an Apprise URL', () => {
  const named: [urls: string, hosts: string[]][] = [
    ['json://10.0.0.1/path', ['10.0.0.1']],
    ['JSONS://user:password@redis:6379/', ['redis']],
    ['json://[::1]:8080/', ['::1']],
    ['json://127.1/', ['127.0.0.1']],
    ['json://2130706433/', ['127.0.0.1']],
    ['json://0x7f000001/', ['127.0.0.1']],
    ['json:/10.0.0.1', ['10.0.0.1']],
    ['json://%31%30.0.0.1/', ['10.0.0.1']],
    ['json://a@10.0.0.1@example.org/', ['10.0.0.1', 'example.org']],
    ['json://localhost', ['localhost']],
    ['tgram://1:a/2/, xml://intern/', ['intern']],
    ['tgram://1:a/2/ form://intern', ['intern']],
    ['mailto://user:pass@example.com?smtp=mail.intern:25&to=a@b.example', ['example.com', 'mail.intern']],
    ['other://example.org/', ['example.org']],
    ['other://169.254.169.254/', ['169.254.169.254']],
    ['other://token/?server=10.0.0.1:80&url=http%3A%2F%2Fintern%2F', ['10.0.0.1', 'intern']],
    ['ntfy://example.org/topic', ['example.org']],
    ['ntfy://intern/topic', ['intern']],
    ['ntfy://intern?to=topic', ['intern']],
  ];
  for (const [urls, hosts] of named) {
    test(`are found: ${urls}`, () => assert.deepEqual(namedHosts(urls).toSorted(), hosts.toSorted()));
  }

  for (const urls of [
    'tgram://987654321:abcdefg_hijklmnop/12315544/',
    'discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js',
    'slack://TokenA/TokenB/TokenC/Channel?batch=10',
    'pover://user@token/DEVICE',
    'ntfy://topic',
    'ntfys://topic/?priority=high',
    `matrixs://${'a1'.repeat(32)}?mode=t2bot`,
  ]) {
    test(`are none of its tokens: ${urls}`, () => assert.deepEqual(namedHosts(urls), []));
  }
});
