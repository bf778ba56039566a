import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { call } from '../call/call.ts';
import { aCheck, anEvent, aReply, aStory, SERVER } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { Call } from '../kind/kind.ts';
import { sms } from '../sms/sms.ts';
import { whatsapp } from '../whatsapp/whatsapp.ts';
import { classifyTwilio } from './api.ts';
import { twilio } from './twilio.ts';

const PHONE = { phone: '+15551234567' };
const UP: Partial<AlertEvent> = { to: 'up', reason: '' };

function only(calls: unknown): Call & { readonly form: Record<string, string> } {
  assert.ok(Array.isArray(calls) && calls.length === 1);
  const [first] = calls as Call[];
  assert.ok(first !== undefined);
  return { ...first, form: Object.fromEntries(new URLSearchParams(String(first.body))) };
}

suite('an SMS', () => {
  const textOf = (event: AlertEvent) => only(sms.render(event, PHONE, SERVER)).form.Body ?? '';

  test('tells what is down and why, and how long it was', () => {
    assert.equal(textOf(anEvent({ story: aStory() })), 'Tocsin: Nightly backup is DOWN (no ping for 25 h).');
    assert.equal(
      textOf(anEvent()),
      'Tocsin: Nightly backup is DOWN (success signal did not arrive on time, grace time passed).',
    );
    assert.equal(textOf(anEvent(UP)), 'Tocsin: Nightly backup is UP.');
    assert.equal(
      textOf(anEvent({ ...UP, downFor: seconds(5400) })),
      'Tocsin: Nightly backup is UP (was down for 1 h 30 min).',
    );
  });

  test('has 160 characters of the alphabet of GSM at the most, as far as the name allows', () => {
    const long = textOf(anEvent({ reason: 'fail', check: aCheck({ name: 'long '.repeat(100) }) }));

    assert.ok(long.length <= 160, long);
    assert.match(long, /is DOWN \(received a failure signal\)\.$/);
    // The text itself is ASCII without the characters that GSM does not have.
    assert.doesNotMatch(textOf(anEvent({ check: aCheck({ name: 'a\u00a0b' }) })), /[^ -_a-z]/);
  });

  test('comes from a messaging service if there is one, else from a number', () => {
    const service = only(sms.render(anEvent(), PHONE, { ...SERVER, TWILIO_MESSAGING_SERVICE_SID: 'MG1' }));
    const number = only(
      sms.render(anEvent(), PHONE, {
        ...SERVER,
        TWILIO_MESSAGING_SERVICE_SID: null,
        TWILIO_FROM: '+1999',
        TWILIO_ACCOUNT: 'AC1',
        TWILIO_AUTH: 'secret',
      }),
    );

    assert.equal(service.form.MessagingServiceSid, 'MG1');
    assert.equal(service.form.From, undefined);
    assert.equal(number.form.From, '+1999');
    assert.equal(number.form.RiskCheck, undefined, 'what Twilio suspects is up to Twilio');
    assert.equal(number.url, 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json');
    assert.equal(number.headers.Authorization, `Basic ${Buffer.from('AC1:secret').toString('base64')}`);
    assert.match(number.form.StatusCallback ?? '', /\/api\/v3\/notifications\/[0-9a-f-]{36}\/status$/);
  });

  test('without an address for reports asks for none', () => {
    assert.equal(
      only(sms.render(anEvent({ statusUrl: null }), PHONE, SERVER)).form.StatusCallback,
      undefined,
    );
  });

  test('is refused where the operator has no account, or nothing to send from', () => {
    const refused = { kind: 'refused', error: 'SMS notifications are not enabled' };
    for (const server of [
      { ...SERVER, TWILIO_ACCOUNT: null },
      { ...SERVER, TWILIO_AUTH: null },
      { ...SERVER, TWILIO_FROM: null, TWILIO_MESSAGING_SERVICE_SID: null },
    ]) {
      assert.deepEqual(sms.render(anEvent(), PHONE, server), refused);
    }
  });
});

suite('a WhatsApp message', () => {
  test('has the template of its direction, with the name', () => {
    const down = only(whatsapp.render(anEvent(), PHONE, SERVER)).form;
    const up = only(whatsapp.render(anEvent(UP), PHONE, SERVER)).form;

    assert.equal(down.To, 'whatsapp:+15551234567');
    assert.equal(down.From, `whatsapp:${SERVER.TWILIO_FROM}`);
    assert.equal(down.ContentSid, SERVER.WHATSAPP_DOWN_CONTENT_SID);
    assert.equal(up.ContentSid, SERVER.WHATSAPP_UP_CONTENT_SID);
    assert.deepEqual(JSON.parse(down.ContentVariables ?? ''), { 1: 'Nightly backup' });
  });

  for (const name of whatsapp.requires?.flat() ?? []) {
    test(`is refused without ${name}`, () => {
      const server = { ...SERVER, [name]: name === 'TWILIO_USE_WHATSAPP' ? false : null };

      assert.deepEqual(whatsapp.render(anEvent(), PHONE, server), {
        kind: 'refused',
        error: 'WhatsApp notifications are not enabled',
      });
    });
  }
});

suite('a call', () => {
  test('is made when a check goes down, and not when it comes up', () => {
    assert.equal(call.wants(PHONE, 'down'), true);
    assert.equal(call.wants(PHONE, 'up'), false);
  });

  test('says the name, whatever it is', () => {
    const { url, form } = only(
      call.render(anEvent({ check: aCheck({ name: '</Say>Foo & co' }) }), PHONE, SERVER),
    );

    assert.match(url, /\/Calls\.json$/);
    assert.equal(
      form.Twiml,
      '<Response><Say loop="2">Hello! A message from Tocsin: The check &lt;/Say&gt;Foo &amp; co is down.</Say></Response>',
    );
  });

  test('is refused without a number to call from', () => {
    assert.deepEqual(call.render(anEvent(), PHONE, { ...SERVER, TWILIO_FROM: null }), {
      kind: 'refused',
      error: 'Call notifications are not enabled',
    });
  });
});

suite('an SMS by an account of the project', () => {
  const OWN = {
    account: 'AC2',
    token: 'own-token',
    from: '+15550001111',
    url: 'https://sms.example.org',
    ...PHONE,
  };

  test('goes to the API of that account, and counts for no limit', () => {
    const sent = only(twilio.render(anEvent(), OWN, SERVER));

    assert.equal(sent.url, 'https://sms.example.org/2010-04-01/Accounts/AC2/Messages.json');
    assert.equal(sent.form.From, '+15550001111');
    assert.equal(twilio.quota, undefined);
    assert.equal(
      only(twilio.render(anEvent(), { ...OWN, from: 'MG0123' }, SERVER)).form.MessagingServiceSid,
      'MG0123',
    );
  });

  test('reads an address with a slash at its end, and numbers with spaces', () => {
    assert.equal(twilio.settings.url.field.read('https://a.example/api/', 'url'), 'https://a.example/api');
    assert.equal(twilio.settings.from.field.read(' +1 555 000-1111', 'from'), '+15550001111');
    assert.equal(twilio.settings.from.field.read(' Tocsin ', 'from'), 'Tocsin');
  });
});

suite("Twilio's answers", () => {
  test('a recipient who will never take a message switches the integration off', () => {
    assert.deepEqual(classifyTwilio(aReply(400, { code: 21211, message: 'not valid' })), {
      kind: 'permanent',
      error: 'Invalid phone number',
    });
    for (const code of [21610, 21614]) {
      assert.equal(classifyTwilio(aReply(400, { code })).kind, 'permanent');
    }
  });

  test('other refusals are tried again, with what Twilio says', () => {
    assert.deepEqual(classifyTwilio(aReply(400, { code: 21408, message: 'Permission not enabled' })), {
      kind: 'try_again',
      error: 'Received status code 400 with a message: "Permission not enabled"',
      afterSeconds: null,
    });
    assert.equal(classifyTwilio(aReply(500, { code: 21211 })).kind, 'try_again');
    assert.equal(classifyTwilio(aReply(201, '{"status":"queued"}')).kind, 'delivered');
    assert.deepEqual(classifyTwilio(aReply(429, '', { 'retry-after': '7' })), {
      kind: 'try_again',
      error: 'Received status code 429',
      afterSeconds: 7,
    });
  });
});

test('a form for an SMS suggests to tell of going down alone', () => {
  for (const { suggestedEvents } of [sms, twilio]) {
    assert.deepEqual(suggestedEvents, ['down_timeout', 'down_fail']);
  }
});
