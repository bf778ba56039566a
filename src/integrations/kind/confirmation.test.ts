import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { everyKind, type TriedKind } from '../every-kind.test-support.ts';
import { openChannel } from '../send/open-channel.ts';
import { acceptedBy } from '../send/preview.ts';
import { aReply, recordingPorts, SERVER, VAULT } from './alert-event.test-support.ts';
import { codeText } from './confirmation.ts';

const MESSAGE = { siteName: 'Tocsin', code: '482913', id: 'id-of-the-message' };

const byCode = everyKind().filter(({ code }) => code.confirmation?.by === 'code');

async function sendCode(
  { kind, code, settings }: TriedKind,
  ports = recordingPorts((one) => acceptedBy(code, one), code),
) {
  const channel = openChannel({ kind, settings: { open: settings, sealed: null } }, SERVER, VAULT);
  const outcome = await channel.sendCode(MESSAGE, ports);
  const requests = ports.requests.map(
    ({ url, body }) => `${url} ${decodeURIComponent(String(body).replaceAll('+', ' '))}`,
  );
  const written = ports.written.map(({ bytes }) => new TextDecoder().decode(bytes));
  return { outcome, text: [...requests, ...written].join('\n') };
}

suite('a code that confirms a recipient', () => {
  for (const tried of byCode) {
    test(`is sent by ${tried.code.label}`, async () => {
      const { outcome, text } = await sendCode(tried);

      assert.equal(outcome.kind, 'delivered');
      assert.match(text, /482913|4, 8, 2, 9, 1, 3/);
      assert.doesNotMatch(text, /StatusCallback|RiskCheck/);
    });
  }

  test('costs like any other message where messages cost money', async () => {
    for (const tried of byCode.filter(({ code }) => code.quota !== undefined)) {
      const counted: string[] = [];
      const ports = {
        ...recordingPorts(aReply(500)),
        takeQuota: async (quota: string) => {
          counted.push(quota);
          return null;
        },
        returnQuota: async (quota: string) => void counted.push(`${quota} back`),
      };

      const { outcome } = await sendCode(tried, ports);

      assert.equal(outcome.kind, 'try_again');
      const { quota } = tried.code;
      assert.deepEqual(counted, [quota, `${quota} back`]);
      const refused = await sendCode(tried, { ...recordingPorts(), takeQuota: async () => 'instance' });
      assert.match('error' in refused.outcome ? refused.outcome.error : '', /by all accounts/);
      assert.equal(refused.text, '');
    }
  });

  test('fits into one SMS, and in its alphabet', () => {
    const text = codeText({ ...MESSAGE, siteName: 'A rather long name of an installation that watches' });

    assert.ok(text.length <= 160, `${text.length}`);
    assert.doesNotMatch(codeText(MESSAGE), /[^ -_a-z]/);
  });
});
