import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Exchange, Outcome } from '../domain/alert/delivery.ts';
import {
  aCheck,
  anEvent,
  aStory,
  OTHERS,
  recordingPorts,
  SCENARIOS,
  SERVER,
  UUID,
  VAULT,
} from './alert-event.test-support.ts';
import {
  ASKED_PAUSE,
  everyKind,
  type LocalProvider,
  PROVIDER_ACTS,
  printedMessage,
  startProvider,
  type TriedKind,
} from './every-kind.test-support.ts';
import { openChannel, secretTexts } from './registry.ts';

const DOWN = SCENARIOS['down-timeout'] ?? assert.fail();
const WITHOUT_SERIALIZER = { serializers: [String] };

for (const tried of everyKind()) {
  suite(`what ${tried.code.label} is sent`, () => {
    for (const [name, event] of Object.entries(SCENARIOS)) {
      test(name, async (t) => {
        const text = await printedMessage(tried, event);

        assert.ok(!text.includes(UUID), 'nothing in it lets a reader ping');
        t.assert.fileSnapshot(text, join(tried.golden, `${name}.golden`), WITHOUT_SERIALIZER);
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

    test(`stand for ours in ${tried.code.label}, in its dialect`, async (t) => {
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
      const text = await printedMessage(tried, filled);
      t.assert.fileSnapshot(text, join(tried.golden, 'own-words.golden'), WITHOUT_SERIALIZER);
    });
  }
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
      t.assert.fileSnapshot(
        `${lines.join('\n')}\n`,
        join(tried.golden, 'answers.golden'),
        WITHOUT_SERIALIZER,
      );
    });
  }
});
