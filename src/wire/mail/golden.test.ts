import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { MailText } from './mail-text.ts';
import { LINK_MAILS, MAILS, MAILS_WITHOUT_DASHBOARD, UNSUBSCRIBE_URL } from './mails.test-support.ts';

suite('the mails to accounts', () => {
  for (const [name, mail] of Object.entries({ ...MAILS, ...LINK_MAILS })) {
    test(name, (t) => {
      t.assert.fileSnapshot(printed(mail), join(import.meta.dirname, 'golden', `${name}.golden`), {
        serializers: [String],
      });
    });
  }
});

suite('the mails to accounts, as long as there are no pages for people', () => {
  for (const [name, mail] of Object.entries(MAILS_WITHOUT_DASHBOARD)) {
    test(`${name} has no link but the one to stop it`, () => {
      const links =
        printed(mail)
          .replaceAll('&amp;', '&')
          .match(/https?:[^\s"<>]+/g) ?? [];

      assert.deepEqual(new Set(links).difference(new Set([UNSUBSCRIBE_URL])), new Set());
      assert.doesNotMatch(mail.html, /<a (?!href="[^"]*unsubscribe)/);
    });
  }
});

function printed({ subject, text, html }: MailText): string {
  return [`Subject: ${subject}`, '', '=== text ===', text, '=== html ===', html].join('\n');
}
