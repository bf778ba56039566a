import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeHtml } from './html-escape.ts';

test('what has a meaning in HTML is spelled out', () => {
  assert.equal(
    escapeHtml(`<b title="x" alt='y'>&amp;</b>`),
    '&lt;b title=&quot;x&quot; alt=&#x27;y&#x27;&gt;&amp;amp;&lt;/b&gt;',
  );
});

test('everything else stays as it is', () => {
  assert.equal(escapeHtml('Ünïcode 🔔 `$100` %3C \\ /'), 'Ünïcode 🔔 `$100` %3C \\ /');
  assert.equal(escapeHtml(''), '');
});
