import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Exchange, Outcome } from '../domain/alert/delivery.ts';
import { seconds } from '../lib/instant.ts';
import {
  ASKED_PAUSE,
  everyKind,
  type LocalProvider,
  PROVIDER_ACTS,
  printedMessage,
  startProvider,
  type TriedKind,
} from './every-kind.test-support.ts';
import {
  aCheck,
  anEvent,
  anEventWithBody,
  aReply,
  aStory,
  OTHERS,
  recordingPorts,
  SCENARIOS,
  SERVER,
  Sections,
  UUID,
  VAULT,
} from './kind/alert-event.test-support.ts';
import { bodyOf } from './kind/limits.ts';
import { botMessage, openChannel, secretTexts } from './registry.ts';
import { acceptedBy } from './send/preview.ts';

const DOWN = SCENARIOS['down-timeout'] ?? assert.fail();
const TEST = SCENARIOS['test-send'] ?? assert.fail();
const WITHOUT_SERIALIZER = { serializers: [String] };

/** The golden file of each kind. The tests that make it add to it, and the last suite compares it. */
const shown = new Map(everyKind().map(({ kind }) => [kind, new Sections()]));

for (const tried of everyKind()) {
  suite(`what ${tried.code.label} is sent`, () => {
    for (const [name, event] of Object.entries(SCENARIOS)) {
      test(name, async () => {
        const text = await printedMessage(tried, event);

        assert.ok(!text.includes(UUID), 'nothing in it lets a reader ping');
        shown.get(tried.kind)?.add(name, text);
      });
    }
  });
}

const OWN = { title: '$NAME <b>went</b> $STATUS', text: 'Look at *this*:\n$REASON & $TAG1 <i>' };
const OWN_NAME = 'own-name-of-the-check';

suite('the words of the owner of an integration', () => {
  for (const tried of everyKind().filter(({ code }) => code.takesOwnWords)) {
    const event = anEvent({
      check: aCheck({ name: OWN_NAME }),
      story: aStory({ about: { ...aStory().about, name: OWN_NAME } }),
      others: OTHERS,
    });
    const preview = async (words: object) => {
      const { kind, settings } = tried;
      const stored = { kind, settings: { open: { ...settings, ...words }, sealed: null } };
      return JSON.stringify(await openChannel(stored, SERVER, VAULT).preview(event, recordingPorts()));
    };

    test(`stand for ours in ${tried.code.label}, in its dialect`, async () => {
      const [ours, own] = [await preview({}), await preview(OWN)];

      assert.notEqual(own, ours);
      // Nobody but its reader can see what is encrypted.
      if (!ours.includes(OWN_NAME)) return;
      for (const word of ['went', 'down', 'timeout', 'prod']) assert.ok(own.includes(word), word);
      assert.ok(!own.includes('Total Pings') && !own.includes('nightly-etl'), 'our facts are gone');
      const withTitle = { ...event, ownWords: { title: `${OWN_NAME} <b>went</b> down`, text: '' } };
      assert.notEqual(await printedMessage(tried, withTitle), await printedMessage(tried, event));
      const filled = {
        ...event,
        ownWords: { title: 'A title', text: 'One *line* <b> & `code` @here\nand another' },
      };
      shown.get(tried.kind)?.add('own-words', await printedMessage(tried, filled));
    });
  }
});

test('links are not previewed, where the provider has a switch: they lead to pages for which people sign in', async () => {
  const switches: [kind: string, off: RegExp][] = [
    ['telegram', /"link_preview_options":\{"is_disabled":true\}/],
    ['slack', /"unfurl_links":false,"unfurl_media":false/],
    ['rocketchat', /"parseUrls":false/],
  ];
  for (const [kind, off] of switches) {
    assert.match(
      await printedMessage(everyKind().find((one) => one.kind === kind) ?? assert.fail(), DOWN),
      off,
    );
  }
  const chat = { id: 1, type: 'private', name: '', thread_id: null } as const;
  assert.match(String(botMessage('token', chat, 'Open https://example.org/').body), switches[0]?.[1] ?? /^$/);
});

suite('a body that contains a fence of Markdown', () => {
  for (const { kind, code, settings } of everyKind().filter(({ code }) => code.needsBody)) {
    const sent = async (body: string) => {
      const ports = recordingPorts((request) => acceptedBy(code, request), code);
      await openChannel({ kind, settings: { open: settings, sealed: null } }, SERVER, VAULT).send(
        anEventWithBody(body),
        ports,
      );
      return JSON.stringify([...ports.requests.map(bodyOf), ...ports.mails, ...ports.written]);
    };
    test(`is shown wherever another one is: ${code.label}`, async () => {
      const [plain, fenced] = [await sent('before\ninside'), await sent('before\n```\ninside\n````')];

      assert.equal(fenced.includes('inside'), plain.includes('inside'));
    });
  }
});

/** Words that do not say that a message is a test. */
const SILENT = { title: 'Look here', text: 'Something is wrong.' };

suite('a test message', () => {
  const sent = async ({ kind, code, settings }: TriedKind, words: object, server = SERVER) => {
    const ports = recordingPorts((request) => acceptedBy(code, request), code);
    const channel = openChannel(
      { kind, settings: { open: { ...settings, ...words }, sealed: null } },
      server,
      VAULT,
    );
    const outcome = await channel.send(TEST, ports);
    const { requests } = await channel.preview(TEST, ports);
    return { ports, outcome, previewed: requests };
  };

  for (const tried of everyKind()) {
    test(`says that it is one: ${tried.code.label}`, async () => {
      for (const words of tried.code.takesOwnWords ? [{}, SILENT] : [{}]) {
        const { ports, outcome, previewed } = await sent(tried, words);

        if (outcome.kind === 'passed_on') return;
        assert.equal(outcome.kind, 'delivered');
        const messages = [
          ...ports.requests.map((request) => JSON.stringify([request.headers, bodyOf(request)])),
          ...ports.mails.map(({ subject, text, html }) => [subject, text, html].join('\n')),
          ...ports.commands.map(({ variables }) => JSON.stringify(variables)),
          ...ports.written.map(({ bytes }) => new TextDecoder().decode(bytes)),
          // Only its reader can see what is encrypted.
          ...previewed.map(({ headers, body }) => JSON.stringify([headers, body])),
        ];
        assert.ok(
          messages.some((message) => /\bTEST\b|test message/.test(message)),
          messages.join('\n'),
        );
      }
    });
  }

  test('of a webhook says so, though nobody has written a placeholder', async () => {
    const webhook = everyKind().find(({ kind }) => kind === 'webhook') ?? assert.fail();

    const { ports } = await sent(webhook, { down: { method: 'GET', url: 'https://example.org/' } });

    assert.equal(ports.requests[0]?.headers['X-Test-Message'], 'true');
  });

  /** The requests that end the incident of the first request. */
  const endings: [kind: string, words: object, ending: RegExp][] = [
    ['pd', {}, /"event_action":"resolve"/],
    ['pd', { version: 'v1' }, /"event_type":"resolve"/],
    ['opsgenie', {}, /\/close\?/],
    ['jsm', {}, /\/close\?/],
    ['victorops', {}, /"message_type":"RECOVERY"/],
    ['pagertree', {}, /"event_type":"resolve"/],
    ['spike', {}, /"status":"up"/],
    ['github', {}, /PATCH .*\/issues\/7 .*"state":"closed"/],
    ['trello', {}, /PUT .*\/cards\/5abbe4b7ddc1b351ef961414 .*closed=true/],
    ['po', { priority_down: 2, priority_up: -3 }, /cancel_by_tag/],
  ];
  for (const [kind, words, ending] of endings) {
    test(`ends what it has begun: ${kind} ${JSON.stringify(words)}`, async () => {
      const { code, settings } = everyKind().find((one) => one.kind === kind) ?? assert.fail();
      const answer = { token: 'a-token', number: 7, id: '5abbe4b7ddc1b351ef961414' };
      const ports = recordingPorts(() => aReply(200, answer));
      const open = { ...settings, events: ['down_timeout'], ...words };
      const channel = openChannel({ kind, settings: { open, sealed: null } }, SERVER, VAULT);

      const outcome = await channel.send(TEST, ports);

      assert.equal(outcome.kind, 'delivered');
      const lines = ports.requests.map(({ method, url, body }) => `${method} ${url} ${body}`);
      assert.doesNotMatch(lines[0] ?? '', ending);
      assert.ok(
        lines.slice(1).some((line) => ending.test(line)),
        lines.join('\n'),
      );
      for (const line of lines) assert.ok(!line.includes('undefined') && !line.includes('null'), line);
      assert.ok(code.endsTest !== undefined);
    });
  }

  test('of Alertmanager ends by itself, when people have seen it', async () => {
    const tried = everyKind().find(({ kind }) => kind === 'alertmanager') ?? assert.fail();

    const { ports } = await sent(tried, {});

    const [[alert]] = ports.requests.map(({ body }) => JSON.parse(String(body))) as [[{ endsAt: string }]];
    assert.equal(Date.parse(alert.endsAt) * 1000 - Math.floor(TEST.at / 1000) * 1000, seconds(300));
  });

  test('of an emergency or of a topic leaves nothing behind: nothing is retained by a broker', async () => {
    const tried = everyKind().find(({ kind }) => kind === 'mqtt') ?? assert.fail();
    const isRetained = (bytes: Uint8Array) => ((bytes[0] ?? 0) & 0xf1) === 0x31;

    const { ports } = await sent(tried, {});

    assert.ok(!ports.written.some(({ bytes }) => isRetained(bytes)));
  });

  test('that could not be ended says so', async () => {
    const { settings } = everyKind().find(({ kind }) => kind === 'pd') ?? assert.fail();
    let asked = 0;
    const ports = recordingPorts(() => aReply(asked++ === 0 ? 202 : 500));
    const channel = openChannel({ kind: 'pd', settings: { open: settings, sealed: null } }, SERVER, VAULT);

    const outcome = await channel.send(TEST, ports);

    assert.deepEqual(outcome, {
      kind: 'try_again',
      error: 'The test message arrived, but what it has opened could not be closed: Received status code 500',
      afterSeconds: null,
    });
  });

  test('that tells of a recovery, and any other message, opens and ends nothing more', async () => {
    for (const tried of everyKind().filter(({ code }) => code.endsTest !== undefined)) {
      const { kind, code, settings } = tried;
      for (const event of [DOWN, { ...TEST, to: 'up', reason: '' } as const]) {
        const once = recordingPorts((request) => acceptedBy(code, request));
        await openChannel({ kind, settings: { open: settings, sealed: null } }, SERVER, VAULT).send(
          event,
          once,
        );
        assert.ok(once.requests.length <= 2, `${kind}: ${once.requests.length}`);
        assert.ok(!once.requests.some(({ body }) => event === DOWN && /resolve|RECOVERY/.test(String(body))));
      }
    }
  });
});

interface Answered {
  readonly outcome: Outcome;
  readonly exchanges: readonly Exchange[];
}

/** An attempt at a provider that does that with each request. Null if the kind makes no requests. */
async function attempt(
  { kind, code, settings }: TriedKind,
  provider: LocalProvider,
  act: string,
): Promise<Answered | null> {
  const exchanges: Exchange[] = [];
  const ports = recordingPorts((request) => provider.take(request, act, code));
  const channel = openChannel({ kind, settings: { open: settings, sealed: null } }, SERVER, VAULT);
  const outcome = await channel.send(DOWN, ports, (exchange) => void exchanges.push(exchange));
  return ports.requests.length === 0 ? null : { outcome, exchanges };
}

const outcomeLine = (act: string, outcome: Outcome) => {
  const after =
    'afterSeconds' in outcome && outcome.afterSeconds !== null ? `, ${outcome.afterSeconds} s` : '';
  return `${act}: ${outcome.kind}${after}${'error' in outcome ? ` · ${outcome.error}` : ''}`;
};

suite('what a provider answers', () => {
  let provider: LocalProvider;
  before(async () => {
    provider = await startProvider();
  });
  after(() => provider[Symbol.asyncDispose]());

  for (const tried of everyKind()) {
    const { kind, code, settings } = tried;
    test(`to ${code.label} is understood`, async (t) => {
      const acts = Object.keys(PROVIDER_ACTS);
      const answers = await Promise.all(acts.map((act) => attempt(tried, provider, act)));
      const known = new Map(
        acts.flatMap((act, index) => (answers[index] ? [[act, answers[index]] as const] : [])),
      );
      if (known.size === 0) return t.skip('it makes no requests');

      const outcomeOf = (act: string) => known.get(act)?.outcome ?? assert.fail(act);
      assert.equal(outcomeOf('takes it').kind, 'delivered');
      for (const status of [400, 401, 403, 404, 410]) {
        assert.notEqual(outcomeOf(`answers ${status}`).kind, 'delivered', String(status));
      }
      for (const act of ['answers 429, later', 'answers 500', 'answers 503, later', 'hangs up', 'silence']) {
        assert.equal(outcomeOf(act).kind, 'try_again', `${act} passes`);
      }
      const pause = outcomeOf('answers 429, later');
      assert.ok(pause.kind === 'try_again' && (pause.afterSeconds ?? 0) >= ASKED_PAUSE, 'it waits as asked');
      const texts = JSON.stringify([...known.values()]);
      assert.ok(!texts.includes('Sending failed'), 'no answer makes it throw');
      for (const secret of secretTexts(kind, settings, SERVER))
        assert.ok(!texts.includes(secret), 'no secret');

      const lines = [...known].map(([act, { outcome }]) => outcomeLine(act, outcome));
      shown.get(kind)?.add('answers', `${lines.join('\n')}\n`);
    });
  }
});

suite('the golden file', () => {
  for (const { kind, code, golden } of everyKind()) {
    test(`of ${code.label} shows what it is sent, and how it understands answers`, (t) => {
      t.assert.fileSnapshot(String(shown.get(kind)), golden, WITHOUT_SERIALIZER);
    });
  }
});
