import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_PRIVATE_ADDRESS } from '../../../src/lib/private-address.ts';
import { show } from '../../ui/dom.test-support.ts';
import { TestAnswer } from './test-answer.tsx';

const failed = { ok: false, request: '', answer: '', seconds: 0, isOff: false };

test('a refused private address comes with the setting that allows it, and no other error does', () => {
  for (const [error, isNamed] of [
    [NO_PRIVATE_ADDRESS, true],
    ['Connection failed', false],
  ] as const) {
    using _ = show(<TestAnswer result={{ ...failed, error }} />);
    const text = document.body.textContent ?? '';
    assert.match(text, new RegExp(error));
    assert.equal(text.includes('INTEGRATIONS_ALLOW_PRIVATE_IPS'), isNamed, error);
  }
});
