import { join } from 'node:path';
import { suite, test } from 'node:test';
import { recordingPorts, SCENARIOS } from '../alert-event.test-support.ts';
import type { OutboundMail } from '../kind.ts';
import { email } from './email.ts';

suite('what an e-mail channel sends', () => {
  for (const [name, event] of Object.entries(SCENARIOS)) {
    test(name, async (t) => {
      const ports = recordingPorts();

      await email.deliver(event, { email: 'alice@example.org' }, ports, {});

      const sent = ports.mails.map(printed).join('\n');
      t.assert.fileSnapshot(sent, join(import.meta.dirname, 'golden', `${name}.golden`), {
        serializers: [String],
      });
    });
  }
});

function printed({ to, subject, headers, text, html, attachments }: OutboundMail): string {
  const lines = Object.entries({ To: to, Subject: subject, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const files = attachments.map(({ filename, contentType }) => `Attached: ${filename} (${contentType})`);
  return [...lines, ...files, '', '=== text ===', text, '=== html ===', html].join('\n');
}
