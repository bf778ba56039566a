import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceName, isIos } from './device.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0';

test('an integration is named after the device and its browser', () => {
  const named = (userAgent: string, maxTouchPoints = 0) => deviceName({ userAgent, maxTouchPoints });

  assert.equal(named(IPHONE, 5), 'iPhone · Safari');
  // The installed app leaves out the name of the browser.
  assert.equal(named(IPHONE.replace(/ Version.*/, ' Mobile/15E148'), 5), 'iPhone · Safari');
  assert.equal(named(MAC), 'Mac · Safari');
  assert.equal(named(MAC, 5), 'iPad · Safari');
  assert.equal(
    named(`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`),
    'Android · Chrome',
  );
  assert.equal(
    named(`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/137.0`),
    'Windows · Edge',
  );
  assert.equal(
    named('Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0'),
    'Linux · Firefox',
  );
  assert.equal(named('curl/8'), '');
});

test('a Mac is no iPad, and a phone with Android needs no home screen', () => {
  assert.equal(isIos({ userAgent: IPHONE, maxTouchPoints: 5 }), true);
  assert.equal(isIos({ userAgent: MAC, maxTouchPoints: 5 }), true);
  assert.equal(isIos({ userAgent: MAC, maxTouchPoints: 0 }), false);
  assert.equal(
    isIos({ userAgent: `Mozilla/5.0 (Linux; Android 10; K) ${CHROME}`, maxTouchPoints: 5 }),
    false,
  );
});
