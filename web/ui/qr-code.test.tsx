import assert from 'node:assert/strict';
import { test } from 'node:test';
import { one, show } from './dom.test-support.ts';
import { QrCode } from './qr-code.tsx';

test('a code for cameras has a name, a margin, and grows with its text', () => {
  using shown = show(<QrCode text="a" label="The key of alice" />);
  const size = () => one('img', 'The key of alice').getAttribute('viewBox');
  assert.equal(size(), '0 0 29 29', 'twenty-one modules and four on each side');
  assert.match(one('img').querySelector('path')?.getAttribute('d') ?? '', /^M4 4h1v1h-1z/);

  shown.change(<QrCode text={'a'.repeat(100)} label="The key of alice" />);

  assert.equal(size(), '0 0 45 45');
});
