import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { TOLD_EVENTS } from '../domain/alert/channel.ts';
import { Fault } from '../lib/fields.ts';
import { systemRandom } from '../lib/random.ts';
import { createVault } from '../lib/vault.ts';
import { anEvent, aReply, recordingPorts, SERVER, VAULT } from './kind/alert-event.test-support.ts';
import {
  CHANNEL_KINDS,
  describeKind,
  describeKinds,
  editableSettings,
  incompleteKinds,
  isChannelKind,
  isStateful,
  kindOf,
  MASK,
  maskedSettings,
  openChannel,
  readSettings,
  SERVER_SETTINGS,
  secretTexts,
  settingsOf,
  storedSettings,
  takesAnyWords,
  targetOf,
  unmaskedSettings,
} from './registry.ts';

const ADDRESS = { email: 'alice@example.org', events: ['down_timeout', 'down_fail'] };
const HOOK = { down: { method: 'GET', url: 'http://a/$STATUS', headers: {}, body: '' }, up: null };

/** Other addresses: each differs in one thing from the given one. */
function elsewhereThan(address: string): string[] {
  const { protocol, host, pathname } = new URL(address);
  const inClear = protocol.replace(/s:$/, ':');
  return [
    ...(inClear === protocol ? [] : [`${inClear}//${host}${pathname}`]),
    `${protocol}//evil.example${pathname}`,
    `${protocol}//${host}.evil.example${pathname}`,
    `${protocol}//${host.replace(/:\d+$/, '')}:9999${pathname}`,
    `${protocol}//${host}/elsewhere`,
    'not an address',
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const opened = (kind: string, settings: unknown) =>
  openChannel({ kind, settings: { open: settings, sealed: null } }, SERVER, VAULT);
const send = (kind: string, settings: unknown, ports = recordingPorts()) =>
  opened(kind, settings).send(anEvent(), ports);

suite('what a message leaves at the provider', () => {
  const channel = (kind: string, open: unknown = {}) => ({ kind, settings: { open, sealed: null } });

  test('on-call services and trackers open something that an up message closes, and so does an emergency', () => {
    const stateful = CHANNEL_KINDS.filter((kind) => isStateful(channel(kind)));

    assert.deepEqual(stateful.toSorted(), [
      ...['alertmanager', 'github', 'jsm', 'opsgenie', 'pagertree', 'pd', 'spike', 'trello', 'victorops'],
    ]);
    assert.equal(isStateful(channel('po', { priority_down: 2 })), true);
    assert.equal(isStateful(channel('po', { priority_down: 1 })), false);
    for (const settings of [null, 'text', []]) assert.equal(isStateful(channel('po', settings)), false);
    assert.equal(isStateful(channel('carrier-pigeon')), false);
  });

  test('only kinds that take words of their owner and open nothing take messages in any words', () => {
    const others = CHANNEL_KINDS.filter(
      (kind) => !takesAnyWords(channel(kind)) && !isStateful(channel(kind)),
    );

    assert.deepEqual(others.toSorted(), ['call', 'group', 'mqtt', 'shell', 'webhook', 'whatsapp']);
    assert.equal(takesAnyWords(channel('po', { priority_down: 2 })), false);
    assert.equal(takesAnyWords(channel('carrier-pigeon')), false);
  });
});

suite('sending to a stored channel', () => {
  test('each kind goes out through its own port', async () => {
    const ports = recordingPorts();

    assert.deepEqual(await send('email', ADDRESS, ports), { kind: 'delivered' });
    assert.deepEqual(await send('webhook', HOOK, ports), { kind: 'delivered' });

    assert.deepEqual(
      ports.mails.map(({ to }) => to),
      ['alice@example.org'],
    );
    assert.deepEqual(
      ports.requests.map(({ url }) => url),
      ['http://a/down'],
    );
  });

  test('an unknown kind is never sent, and fails with a word about it', async () => {
    for (const kind of ['carrier-pigeon', 'toString', '__proto__', '']) {
      assert.deepEqual(await send(kind, {}), {
        kind: 'try_again',
        error: `Channels of the kind "${kind}" are not supported`,
        afterSeconds: null,
      });
    }
  });

  const broken: [kind: string, settings: unknown, error: string][] = [
    ['email', null, 'Invalid settings: not a mapping'],
    ['email', 'alice@example.org', 'Invalid settings: not a mapping'],
    ['email', {}, 'Invalid settings: email is missing'],
    ['email', { email: 'nobody' }, 'Invalid settings: email is not a valid e-mail address'],
    ['email', { email: 'a@b\r\nBcc: c@d' }, 'Invalid settings: email is not a valid e-mail address'],
    ['webhook', { down: null, up: null }, 'Invalid settings: down and up are both missing'],
    ['webhook', { down: { url: 7 } }, 'Invalid settings: down.url is not a string'],
    ['webhook', [], 'Invalid settings: not a mapping'],
  ];
  for (const [kind, settings, error] of broken) {
    test(`${kind} settings ${JSON.stringify(settings)} fail with a word about it`, async () => {
      const ports = recordingPorts();

      const outcome = await send(kind, settings, ports);

      assert.deepEqual(outcome, { kind: 'try_again', error, afterSeconds: null });
      assert.deepEqual([ports.mails, ports.requests], [[], []]);
    });
  }

  const thrown: [what: unknown, error: string][] = [
    [new Error('connect refused\r\nby peer'), 'Sending failed: connect refused by peer'],
    ['text', 'Sending failed: unknown error'],
    [Object.create(null), 'Sending failed: unknown error'],
    [undefined, 'Sending failed: unknown error'],
  ];
  for (const [what, error] of thrown) {
    test(`what a port throws is a failure: ${error}`, async () => {
      const ports = {
        ...recordingPorts(),
        http: () => {
          throw what;
        },
        mail: () => Promise.reject(what),
        writeMail: () => Promise.reject(what),
      };

      const expected = { kind: 'try_again', error, afterSeconds: null };
      assert.deepEqual(await send('webhook', HOOK, ports), expected);
      assert.deepEqual(await send('email', ADDRESS, ports), expected);
    });
  }

  test('a request that gets no answer is worth another try', async () => {
    const outcome = await send('webhook', HOOK, recordingPorts({ error: 'Connection timed out' }));

    assert.deepEqual(outcome, { kind: 'try_again', error: 'Connection timed out', afterSeconds: null });
  });

  test('a long error is cut to 200 characters', async () => {
    const reply = aReply(400, { description: '🔔'.repeat(300) });

    const outcome = await send('telegram', { id: 1 }, recordingPorts(reply));

    assert.ok('error' in outcome);
    assert.equal([...outcome.error].length, 200);
  });

  test('a channel wants what its settings say', () => {
    assert.equal(opened('email', ADDRESS).wants('down_fail'), true);
    assert.equal(opened('email', ADDRESS).wants('up'), false);
    assert.equal(opened('webhook', HOOK).wants('down_fail'), true);
    assert.equal(opened('webhook', HOOK).wants('up'), false);
  });

  test('a channel that cannot be understood wants everything, so that its failure is seen', () => {
    for (const to of TOLD_EVENTS) {
      assert.equal(opened('carrier-pigeon', {}).wants(to), true);
      assert.equal(opened('email', null).wants(to), true);
    }
  });

  test('kinds that quote bodies say so, and an unknown one does not', () => {
    assert.equal(opened('email', ADDRESS).needsBody, true);
    assert.equal(opened('webhook', HOOK).needsBody, true);
    assert.equal(opened('carrier-pigeon', {}).needsBody, false);
  });

  test('a channel needs the document of the check if something that its owner wrote contains it', () => {
    const call = { method: 'POST', url: 'http://a/', headers: {}, body: '' };
    const hooks = [
      { down: { ...call, url: 'http://a/?check=$JSON' } },
      { down: { ...call, headers: { 'X-Check': '$JSON' } } },
      { down: call, up: { ...call, body: '{"check": $JSON}' } },
    ];
    for (const settings of hooks) assert.equal(opened('webhook', settings).needsDocument, true);
    const url = 'https://hooks.example/a';
    assert.equal(opened('slack', { url, text: 'See $JSON' }).needsDocument, true);

    assert.equal(opened('webhook', { down: { ...call, body: '$NAME_JSON' } }).needsDocument, false);
    assert.equal(opened('slack', { url }).needsDocument, false);
    assert.equal(opened('email', ADDRESS).needsDocument, false);
    assert.equal(opened('carrier-pigeon', {}).needsDocument, false);
  });
});

/** The kinds of the service that users come from, by the codes that its API and its exports give them. */
const KNOWN_ELSEWHERE = `
  apprise call discord email github googlechat gotify group matrix mattermost msteamsw ntfy opsgenie pagertree pd
  po pushbullet rocketchat shell signal slack sms spike telegram trello victorops webhook whatsapp zulip
`;

suite('the list of kinds', () => {
  test('has each kind that users may bring along, under the same code', () => {
    const codes = KNOWN_ELSEWHERE.trim().split(/\s+/);

    assert.equal(codes.length, 29);
    for (const code of codes) assert.ok(isChannelKind(code), code);
  });

  for (const name of CHANNEL_KINDS) {
    test(`${name} is complete: no setting is without a label, no secret of the server can be shown`, () => {
      const kind = kindOf(name);
      assert.ok(kind !== null);
      for (const setting of Object.values(kind.settings)) assert.notEqual(setting.label, '');
      for (const variable of Object.keys(kind.server)) assert.ok(variable in SERVER_SETTINGS, variable);
      for (const [variable, { secret }] of Object.entries(kind.server)) {
        if (/TOKEN|SECRET|KEY/.test(variable)) assert.equal(secret, true, variable);
      }
    });
  }

  test('settings of a kind are read by its table, and only by it', () => {
    assert.ok(isChannelKind('slack'));
    assert.deepEqual(readSettings('slack', { url: 'hooks.example.org/a' }), {
      url: 'https://hooks.example.org/a',
    });
    assert.ok(readSettings('slack', {}) instanceof Fault);
  });
});

suite('secrets of a stored channel', () => {
  const SECRET_KINDS = ['po', 'slack', 'webhook'] as const;
  const GIVEN = {
    po: { user_key: 'usersecret' },
    slack: { url: 'https://hooks.example/secret' },
    webhook: { up: { url: 'https://a.example/secret', headers: { Authorization: 'Bearer secret' } } },
  };

  for (const kind of SECRET_KINDS) {
    test(`of the kind ${kind} are neither stored nor shown in the clear, and are there when it is opened`, () => {
      const values = readSettings(kind, GIVEN[kind]);
      assert.ok(!(values instanceof Fault));

      const settings = storedSettings(kind, values, VAULT);

      assert.doesNotMatch(JSON.stringify(settings), /secret/);
      assert.doesNotMatch(JSON.stringify(maskedSettings(kind, values)), /secret/);
      assert.doesNotMatch(JSON.stringify(editableSettings(kind, values)), /secret/);
      assert.deepEqual(settingsOf({ settings }, VAULT), values);
      assert.equal(openChannel({ kind, settings }, SERVER, VAULT).isReadable, true);
    });
  }

  test('that cannot be unsealed make each try fail with a word about it, to be repeated', async () => {
    const settings = storedSettings('slack', GIVEN.slack, createVault('another secret key', systemRandom));

    const channel = openChannel({ kind: 'slack', settings }, SERVER, VAULT);

    assert.equal(channel.isReadable, false);
    assert.deepEqual(await channel.send(anEvent(), recordingPorts()), {
      kind: 'try_again',
      error: 'Invalid settings: sealed under another SECRET_KEY',
      afterSeconds: null,
    });
  });
});

suite('a kind describes itself', () => {
  const kinds = describeKinds({ server: SERVER, hasMail: true });

  test('and every kind does', () => {
    assert.deepEqual(kinds.map(({ kind }) => kind).toSorted(), [...CHANNEL_KINDS].toSorted());
  });

  for (const { kind, schema, settings, example, ...words } of kinds) {
    test(`${kind} has an example that is valid, by its schema and by its table`, () => {
      const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);

      assert.ok(isValid(example), JSON.stringify(isValid.errors));
      assert.ok(!(readSettings(kind, example) instanceof Fault));
      assert.equal(isValid({ ...example, colour: 'red' }), false, 'names that are not known are refused');
    });

    test(`${kind} has words for people, and secrets that are write-only`, () => {
      const properties = schema.properties as Record<string, { title?: string; writeOnly?: boolean }>;
      for (const [name, { secret = false }] of Object.entries(settings)) {
        assert.ok(properties[name]?.title, name);
        assert.equal(properties[name]?.writeOnly ?? false, secret, name);
      }
      assert.ok(words.label && words.summary && words.description);
      assert.ok(
        words.setup.length > 0 && words.setup.every((step) => /[.:]$/.test(step)),
        'steps are sentences',
      );
      assert.ok(!('events' in settings), 'events are a setting of every kind');
    });

    test(`${kind} sends no stored secret elsewhere: to another scheme, host, port or path`, () => {
      const isWhole = (name: string) => settings[name]?.secret && settings[name]?.shown === undefined;
      const secrets = Object.keys(settings).filter(isWhole);
      const stored = readSettings(kind, {
        ...Object.fromEntries(secrets.map((name) => [name, 'a-secret-of-16-or-more'])),
        ...example,
      });
      if (stored instanceof Fault) return assert.fail(stored.reason);
      const addresses = Object.keys(settings).filter((name) => settings[name]?.control === 'url');
      for (const secret of addresses.length === 0 ? [] : secrets) {
        for (const address of addresses) {
          const places: string[] = elsewhereThan(String(stored[address]));
          for (const elsewhere of places) {
            const others = secrets.filter((name) => name !== secret && !addresses.includes(name));
            const edit: Record<string, unknown> = {
              ...Object.fromEntries(others.map((name) => [name, 'new'])),
              [address]: elsewhere,
            };
            for (const given of [edit, { ...edit, [secret]: MASK }]) {
              const fault = unmaskedSettings(kind, given, stored);
              assert.ok(fault instanceof Fault, `${secret} to ${elsewhere}`);
              assert.match(fault.reason, new RegExp(`^${secret} .* give`), 'the fault is that of the secret');
            }
            assert.ok(!(unmaskedSettings(kind, { ...edit, [secret]: 'new' }, stored) instanceof Fault));
          }
        }
        assert.ok(!(unmaskedSettings(kind, { [secret]: MASK }, stored) instanceof Fault));
      }
    });

    test(`${kind} sends no secret elsewhere that stands beside its address in one setting`, () => {
      const stored = readSettings(kind, example);
      assert.ok(!(stored instanceof Fault));
      const shown = editableSettings(kind, stored);
      for (const [name, { sentTo }] of Object.entries(settings)) {
        const whole: unknown = stored[name];
        if (!isRecord(whole) || !isRecord(shown[name]) || !JSON.stringify(shown[name]).includes(MASK))
          continue;
        assert.ok(sentTo !== undefined && 'part' in sentTo, `${name} says where it is sent`);
        for (const elsewhere of elsewhereThan(String(whole[sentTo.part]))) {
          const given = { [name]: { ...shown[name], [sentTo.part]: elsewhere } };
          if (!JSON.stringify(given).includes(MASK)) continue;
          const fault = unmaskedSettings(kind, given, stored);
          assert.ok(fault instanceof Fault, `${name} to ${elsewhere}`);
          assert.match(fault.reason, new RegExp(`^${name}\\.\\w+ .* give`));
        }
        const same = { [name]: { ...shown[name], [sentTo.part]: whole[sentTo.part] } };
        assert.deepEqual(unmaskedSettings(kind, same, stored), { [name]: whole });
        assert.deepEqual(unmaskedSettings(kind, { [name]: shown[name] }, stored), { [name]: whole });
      }
    });

    test(`${kind} names its destination without a secret`, () => {
      const values = readSettings(kind, example);
      assert.ok(!(values instanceof Fault));

      const secrets = secretTexts(kind, values, SERVER);

      for (const secret of secrets) assert.ok(!targetOf(kind, values).includes(secret));
    });
  }

  test('and what is missing for one that the operator has switched on', () => {
    const incomplete = (server: Partial<typeof SERVER>) =>
      incompleteKinds({ server: { ...SERVER, ...server }, hasMail: true });

    assert.deepEqual(incomplete({}), []);
    assert.deepEqual(incomplete({ WHATSAPP_UP_CONTENT_SID: null }), [
      { kind: 'whatsapp', missing: 'WHATSAPP_UP_CONTENT_SID' },
    ]);
    assert.deepEqual(incomplete({ WHATSAPP_UP_CONTENT_SID: null, TWILIO_USE_WHATSAPP: false }), []);
  });

  test('and what the instance lacks for it', () => {
    const server = { ...SERVER, PUSHOVER_API_TOKEN: null, SLACK_ENABLED: false };
    const missing = new Map(
      describeKinds({ server, hasMail: false }).map(({ kind, missing }) => [kind, missing]),
    );

    assert.equal(missing.get('email'), 'EMAIL_HOST');
    assert.equal(missing.get('po'), 'PUSHOVER_API_TOKEN');
    assert.equal(missing.get('slack'), 'SLACK_ENABLED');
    assert.equal(missing.get('telegram'), null);
  });

  test('and that one of two settings is enough for it', () => {
    const missing = (server: Partial<typeof SERVER>) =>
      describeKind('sms', { server: { ...SERVER, ...server }, hasMail: true }).missing;

    assert.equal(missing({ TWILIO_FROM: null, TWILIO_MESSAGING_SERVICE_SID: 'MG1' }), null);
    assert.equal(missing({ TWILIO_FROM: '+1999', TWILIO_MESSAGING_SERVICE_SID: null }), null);
    assert.equal(
      missing({ TWILIO_FROM: null, TWILIO_MESSAGING_SERVICE_SID: null }),
      'TWILIO_FROM or TWILIO_MESSAGING_SERVICE_SID',
    );
  });

  test('and all settings that it lacks, not the first alone', () => {
    const nothing = Object.fromEntries(
      Object.keys(SERVER).map((name) => [name, null]),
    ) as unknown as typeof SERVER;
    const missing = (kind: 'sms' | 'whatsapp' | 'github') =>
      describeKind(kind, { server: nothing, hasMail: false }).missing;

    assert.equal(missing('sms'), 'TWILIO_ACCOUNT, TWILIO_AUTH, TWILIO_FROM or TWILIO_MESSAGING_SERVICE_SID');
    assert.equal(
      missing('github'),
      'GITHUB_CLIENT_ID, GITHUB_PRIVATE_KEY, GITHUB_CLIENT_SECRET, GITHUB_PUBLIC_LINK',
    );
    assert.equal(missing('whatsapp')?.split(', ').length, 7);
  });
});
