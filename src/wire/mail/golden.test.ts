import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { MailText } from '../../lib/mail-document/document.ts';
import { LINK_MAILS, MAILS } from './mails.test-support.ts';

suite('the mails to accounts', () => {
  for (const [name, mail] of Object.entries({ ...MAILS, ...LINK_MAILS })) {
    test(name, (t) => {
      t.assert.fileSnapshot(printed(mail), join(import.meta.dirname, 'golden', `${name}.golden`), {
        serializers: [String],
      });
    });
  }
});

function printed({ subject, text, html }: MailText): string {
  return [`Subject: ${subject}`, '', '=== text ===', text, '=== html ===', html].join('\n');
}
