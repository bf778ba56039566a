import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import {
  AT,
  aCheck,
  anEvent,
  anEventWithBody,
  aPing,
  aReply,
  recordingPorts,
  SERVER,
  UUID,
  VAULT,
} from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { OutboundRequest } from '../kind/kind.ts';
import { openChannel, readSettings } from '../registry.ts';
import type { WebhookCall } from './request.ts';
import { webhook } from './webhook.ts';

/** The request that tells of the event by that call. */
function sent(call: Partial<WebhookCall>, event: AlertEvent = anEvent()): OutboundRequest {
  const whole: WebhookCall = { method: 'POST', url: 'https://example.org/', headers: {}, body: '', ...call };
  const calls = webhook.render(event, { down: whole, up: whole }, SERVER);
  assert.ok(Array.isArray(calls) && calls.length === 1);
  return calls[0];
}

async function urlOf(template: string, event?: AlertEvent): Promise<string> {
  return (await sent({ url: `http://a/${template}` }, event)).url.slice('http://a/'.length);
}

async function headerOf(template: string, event?: AlertEvent): Promise<string | undefined> {
  return (await sent({ headers: { 'X-Test': template } }, event)).headers['X-Test'];
}

async function bodyOf(template: string, event?: AlertEvent): Promise<string | Uint8Array | null> {
  return (await sent({ body: template }, event)).body;
}

type Settings = Parameters<typeof webhook.wants>[0];

function read(source: Record<string, unknown>): Settings {
  const settings = readSettings('webhook', source);
  if (settings instanceof Fault) assert.fail(settings.reason);
  // The kind's own table has read it.
  return settings as Settings;
}

suite('the request of a webhook', () => {
  test('GET sends no body, not even a stored one', async () => {
    const { method, body } = await sent({ method: 'GET', body: 'stored' });

    assert.equal(method, 'GET');
    assert.equal(body, null);
  });

  for (const method of ['POST', 'PUT'] as const) {
    test(`${method} sends the body`, async () => {
      const request = await sent({ method, body: 'é $NAME' });

      assert.equal(request.method, method);
      assert.equal(request.body, 'é Nightly backup');
    });
  }

  test('an empty body is none', async () => {
    assert.equal((await sent({ body: '' })).body, null);
  });

  test('there is no content type and no user agent that the user did not set', async () => {
    const { headers } = await sent({ body: '{}' });

    assert.deepEqual(headers, { 'Idempotency-Key': anEvent().deliveryId });
  });

  test('the content type and the user agent of the user are sent', async () => {
    const { headers } = await sent({ headers: { 'Content-Type': 'text/csv', 'user-agent': 'mine/1' } });

    assert.equal(headers['Content-Type'], 'text/csv');
    assert.equal(headers['user-agent'], 'mine/1');
  });

  test('an idempotency key of the user replaces ours, however it is spelt', async () => {
    const { headers } = await sent({ headers: { 'idempotency-key': '$CODE' } });

    assert.deepEqual(headers, { 'idempotency-key': UUID });
  });

  test('an answer that says no is worth another try, later if the receiver asks for that', () => {
    assert.deepEqual(webhook.classify(aReply(200)), { kind: 'delivered' });
    assert.deepEqual(webhook.classify(aReply(500, '', { 'retry-after': '7' })), {
      kind: 'try_again',
      error: 'Received status code 500',
      afterSeconds: 7,
    });
  });

  test('where the operator has switched webhooks off, none is sent', () => {
    const call: WebhookCall = { method: 'GET', url: 'http://a/', headers: {}, body: '' };

    assert.deepEqual(webhook.render(anEvent(), { down: call, up: null }, { WEBHOOKS_ENABLED: false }), {
      kind: 'refused',
      error: 'Webhook notifications are not enabled.',
    });
  });
});

suite('the placeholders of a webhook', () => {
  const everything: [placeholder: string, url: string, body: string][] = [
    ['$CODE', UUID, UUID],
    ['$STATUS', 'down', 'down'],
    ['$NOW', '2024-03-10T12%3A30%3A05%2B00%3A00', '2024-03-10T12:30:05+00:00'],
    ['$NAME', 'a%20%26/%24TAG1', 'a &/$TAG1'],
    ['$NAME_JSON', '%22a%20%26/%24TAG1%22', '"a &/$TAG1"'],
    ['$SLUG', 'nightly-backup', 'nightly-backup'],
    ['$TAGS', 'prod%20db', 'prod db'],
    ['$TAG1', 'prod', 'prod'],
    ['$TAG2', 'db', 'db'],
    ['$JSON', '%7B%22a%22%3A1%7D', '{"a":1}'],
    ['$EXITSTATUS', '-1', '-1'],
    ['$PROJECT', 'Acme', 'Acme'],
    ['$REASON', 'timeout', 'timeout'],
    ['$DURATION', '-1', '-1'],
    ['$LAST_PING', '2024-03-10T11%3A30%3A05%2B00%3A00', '2024-03-10T11:30:05+00:00'],
    [
      '$URL',
      `https%3A//tocsin.example.org/cloaked/${anEvent().check.uniqueKey}/`,
      `https://tocsin.example.org/cloaked/${anEvent().check.uniqueKey}/`,
    ],
  ];
  const event = anEvent({ check: aCheck({ name: 'a &/$TAG1', json: '{"a":1}' }) });
  for (const [placeholder, url, body] of everything) {
    test(`${placeholder} in URL, header and body`, async () => {
      assert.equal(await urlOf(`x?y=${placeholder}#z`, event), `x?y=${url}#z`);
      assert.equal(await headerOf(`<${placeholder}>`, event), `<${body}>`);
      assert.equal(await bodyOf(`<${placeholder}>`, event), `<${body}>`);
    });
  }

  test('$$NAMETAG1 with an empty name is $TAG1', async () => {
    const unnamed = anEvent({ check: aCheck({ name: '' }) });

    assert.equal(await bodyOf('$$NAMETAG1', unnamed), '$TAG1');
    assert.equal(await urlOf('$$NAMETAG1', unnamed), '$TAG1');
  });

  test('a name that reads $TAG1 is not expanded', async () => {
    const tricky = anEvent({ check: aCheck({ name: '$TAG1' }) });

    assert.equal(await bodyOf('$NAME', tricky), '$TAG1');
    assert.equal(await urlOf('$NAME', tricky), '%24TAG1');
    assert.equal(await headerOf('$NAME', tricky), '$TAG1');
  });

  test('$TAG3 with two tags stays as it is written', async () => {
    assert.equal(await bodyOf('$TAG1 $TAG3 $TAG0 $TAG10'), 'prod $TAG3 $TAG0 $TAG10');
    assert.equal(await urlOf('$TAG3'), '$TAG3');
  });

  test('$TAG10 with ten tags is the tenth', async () => {
    const tagged = anEvent({ check: aCheck({ tags: 'a b  c d e f g h i j' }) });

    assert.equal(await bodyOf('$TAG10 $TAG1', tagged), 'j a');
  });

  test('$NAME_JSON and $BODY_JSON are valid JSON whatever is in them', async () => {
    const text = 'say "hi"\n\\ é 🔔';
    const quoted = { ...anEventWithBody(text), check: aCheck({ name: text }) };

    const body = await bodyOf('{"name": $NAME_JSON, "body": $BODY_JSON}', quoted);

    assert.deepEqual(JSON.parse(String(body)), { name: text, body: text });
    assert.match(String(body), /^[ -~]*$/);
  });

  test('$BODY stays as it is written in URL and header', async () => {
    assert.equal(await urlOf('$BODY$BODY_JSON'), '$BODY$BODY_JSON');
    assert.equal(await headerOf('$BODY $BODY_JSON'), '$BODY $BODY_JSON');
  });

  test('$BODY in the body is the whole text, unescaped', async () => {
    const long = `<&> ${'x'.repeat(20_000)} $NAME`;

    assert.equal(await bodyOf('[$BODY]', anEventWithBody(long)), `[${long}]`);
    assert.equal(await bodyOf('[$BODY]', anEventWithBody(new Uint8Array([0x61, 0xff]))), '[a\u{fffd}]');
    assert.equal(await bodyOf('[$BODY]$BODY_JSON', anEvent({ body: null })), '[]""');
  });

  const statuses: [ping: AlertEvent['ping'], text: string][] = [
    [aPing({ exitStatus: 0 }), '0'],
    [aPing({ exitStatus: 123 }), '123'],
    [aPing({ exitStatus: null }), '-1'],
    [null, '-1'],
  ];
  for (const [ping, text] of statuses) {
    test(`$EXITSTATUS is ${text} ${ping === null ? 'without a ping' : `for ${ping.exitStatus}`}`, async () => {
      assert.equal(await bodyOf('$EXITSTATUS', anEvent({ ping })), text);
    });
  }

  test('$NOW is the time of the change, not of the try, without a fraction', async () => {
    assert.equal(await bodyOf('$NOW', anEvent({ now: AT + seconds(900) })), '2024-03-10T12:30:05+00:00');
  });

  test("$JSON is the API's document of the check", async () => {
    const json = '{"name":"é","tags":"$TAG1"}';
    const known = anEvent({ check: aCheck({ json }) });

    assert.equal(await bodyOf('$JSON', known), json);
    assert.equal(await headerOf('$JSON', known), String.raw`{"name":"\u00e9","tags":"$TAG1"}`);
  });

  test('$JSON of a test parses and has the name TEST', async () => {
    const event = anEvent({ isTest: true, check: aCheck({ name: 'TEST' }) });

    assert.equal(JSON.parse(String(await bodyOf('$JSON', event))).name, 'TEST');
  });

  test('a header value is Latin-1, what the user wrote included', async () => {
    assert.equal(await headerOf('bār ½'), 'b&#257;r ½');
    assert.equal(await headerOf('½ $NAME', anEvent({ check: aCheck({ name: 'bār' }) })), '½ b&#257;r');
  });

  test('header names are left alone', async () => {
    const { headers } = await sent({ headers: { 'X-$NAME': '$STATUS' } });

    assert.equal(headers['X-$NAME'], 'down');
  });

  test('a name with line breaks adds no header', async () => {
    const evil = anEvent({ check: aCheck({ name: 'a\r\nX-Evil: 1' }) });

    assert.equal(await headerOf('$NAME', evil), 'a X-Evil: 1');
  });

  test('a check that comes up has no reason, and a duration where one is known', async () => {
    const up = anEvent({ to: 'up', reason: '', downFor: seconds(5400.9) });

    assert.equal(await bodyOf('[$REASON] $DURATION', up), '[] 5400');
    assert.equal(await bodyOf('[$LAST_PING]', anEvent({ ping: null })), '[]');
  });
});

suite('a placeholder in the host of a webhook', () => {
  const outcomeOf = (url: string, tags: string) => {
    const call: WebhookCall = { method: 'POST', url, headers: { Authorization: 'secret' }, body: '' };
    return webhook.render(anEvent({ check: aCheck({ tags }) }), { down: call, up: call }, SERVER);
  };

  for (const [url, tags, expected] of [
    ['https://$TAG1.example.org/x', 'prod', 'https://prod.example.org/x'],
    ['https://hooks-$TAG1.example.org:8443/$TAG1', 'EU-2', 'https://hooks-EU-2.example.org:8443/EU-2'],
    ['https://user:secret@$TAG1.example.org?a=$TAG2', 'a b/c', 'https://user:secret@a.example.org?a=b/c'],
    [`https://$TAG1.example.org/`, 'x'.repeat(63), `https://${'x'.repeat(63)}.example.org/`],
  ] as const) {
    test(`stands for one label: ${url} with ${tags.slice(0, 20)}`, () => {
      const calls = outcomeOf(url, tags);
      assert.ok(Array.isArray(calls));
      assert.equal(calls[0]?.url, expected);
    });
  }

  for (const tags of [
    'evil.example/',
    'evil.example',
    'evil.example#',
    'evil.example?',
    'a@evil.example',
    'evil\\',
    'evil%2f',
    ':80',
    'evil。example',
    'münchen',
    '_dmarc',
    'x'.repeat(64),
    '',
  ]) {
    test(`never for more: ${JSON.stringify(tags.slice(0, 20))}`, () => {
      assert.deepEqual(outcomeOf('https://$TAG1.example.org/hook', tags), {
        kind: 'refused',
        error:
          'The address of the webhook has $TAG1 in its host. It must stand for letters, digits and hyphens, 1 to 63 of them.',
      });
    });
  }

  test('leaves room for what stands beside it in the label', () => {
    assert.ok('kind' in outcomeOf('https://hooks-$TAG1.example.org/', 'x'.repeat(60)));
  });

  test('is found behind backslashes, and nothing but the host is one', () => {
    assert.ok('kind' in outcomeOf('https://\\$TAG1/hook', 'evil.example'));
    assert.ok('kind' in outcomeOf('https:\\\\$TAG1/hook', 'evil.example'));
  });

  test('is not filled in before the host, though it was stored', () => {
    for (const url of ['https://$TAG1:x@example.org/', 'https://a:$TAG1@example.org/']) {
      assert.deepEqual(outcomeOf(url, 'prod'), {
        kind: 'refused',
        error:
          'The address of the webhook has $TAG1 before its host. Only the host, the path and the query may have placeholders.',
      });
      assert.deepEqual(
        readSettings('webhook', { down: { url } }),
        new Fault(
          'down.url has $TAG1 before its host: only the host, the path and the query may have placeholders',
        ),
      );
    }
    assert.ok(readSettings('webhook', { down: { url: 'https://example.org:$TAG1/' } }) instanceof Fault);
    assert.ok(readSettings('webhook', { down: { url: 'https://example.org:8$TAG1/' } }) instanceof Fault);
  });
});

suite('the settings of a webhook', () => {
  const accepted: [url: string, stored: string][] = [
    ['http://home_server', 'http://home_server'],
    ['https://example.org.:8443/$NAME?a=$TAG1', 'https://example.org.:8443/$NAME?a=$TAG1'],
    ['https://user:secret@example.org/', 'https://user:secret@example.org/'],
    ['http://[::1]:8000/', 'http://[::1]:8000/'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['https://$TAG1.example.org/', 'https://$TAG1.example.org/'],
    ['example.org/hook', 'https://example.org/hook'],
    ['localhost:9000/hook', 'https://localhost:9000/hook'],
    ['home_server/hook', 'https://home_server/hook'],
  ];
  for (const [url, stored] of accepted) {
    test(`${url} is accepted`, () => {
      assert.equal(read({ down: { url } }).down?.url, stored);
    });
  }

  for (const url of [
    '',
    'foo bar',
    'foo',
    'ftp://example.org',
    '[foo]',
    'http://example:80.com/',
    'http://',
    'http://a\n/',
  ]) {
    test(`${JSON.stringify(url)} is refused`, () => {
      assert.ok(readSettings('webhook', { down: { url } }) instanceof Fault);
    });
  }

  test('a URL that is too long with its scheme is refused, so that what is stored can be read', () => {
    assert.equal(read({ down: { url: `a/${'x'.repeat(990)}` } }).down?.url.length, 1000);
    assert.ok(readSettings('webhook', { down: { url: `a/${'x'.repeat(991)}` } }) instanceof Fault);
  });

  test('a webhook without any call is refused', () => {
    assert.ok(readSettings('webhook', {}) instanceof Fault);
  });

  test('a call for one direction is enough, and the other one is not wanted', () => {
    const settings = read({ up: { url: 'http://a/' } });

    assert.equal(webhook.wants(settings, 'up'), true);
    assert.equal(webhook.wants(settings, 'down'), false);
  });

  test('nothing is sent for a direction without a call', () => {
    assert.deepEqual(webhook.render(anEvent(), read({ up: { url: 'http://a/' } }), SERVER), {
      kind: 'try_again',
      error: 'Empty webhook URL',
      afterSeconds: null,
    });
  });

  test('settings are read again as they were stored', () => {
    const settings = read({ down: { method: 'PUT', url: 'http://a/', headers: { A: 'b' }, body: 'c' } });

    assert.deepEqual(read(JSON.parse(JSON.stringify(settings))), settings);
  });

  const headerFaults: [headers: Record<string, string>, reason: string][] = [
    [{ 'X-Näme': 'a' }, 'down.headers has the invalid name "X-Näme"'],
    [{ 'X Name': 'a' }, 'down.headers has the invalid name "X Name"'],
    [{ '': 'a' }, 'down.headers has the invalid name ""'],
    [{ 'X-A': '' }, 'down.headers has no value of "X-A"'],
    [{ 'X-A': ' ' }, 'down.headers has no value of "X-A"'],
    [{ 'X-A': 'a\r\nX-Evil: 1' }, 'down.headers.X-A is not a string of one line'],
    [{ 'X-A': 'x'.repeat(1001) }, 'down.headers.X-A is too long'],
  ];
  for (const [headers, reason] of headerFaults) {
    test(`refused: ${reason}`, () => {
      assert.deepEqual(readSettings('webhook', { down: { url: 'http://a/', headers } }), new Fault(reason));
    });
  }

  test('a body has at most 1000 characters', () => {
    assert.equal(read({ down: { url: 'http://a/', body: 'x'.repeat(1000) } }).down?.body.length, 1000);
    const long = readSettings('webhook', { up: { url: 'http://a/', body: 'x'.repeat(1001) } });
    assert.deepEqual(long, new Fault('up.body is too long'));
  });

  test('headers are limited where they are written, not where they were stored', async () => {
    const headers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'a']));
    const settings = (count: number) => ({
      down: { method: 'GET', url: 'http://a/', headers: headers(count), body: '' },
    });

    assert.equal(Object.keys(read(settings(50)).down?.headers ?? {}).length, 50);
    const fault = new Fault('down.headers has more than 50 headers');
    assert.deepEqual(readSettings('webhook', settings(51)), fault);
    const stored = openChannel(
      { kind: 'webhook', settings: { open: settings(51), sealed: null } },
      SERVER,
      VAULT,
    );
    assert.deepEqual(await stored.send(anEvent(), recordingPorts()), { kind: 'delivered' });
  });
});
