import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { form } from '../../../test/form.ts';
import { sizeOf } from '../../lib/text/text-size.ts';
import { everyKind } from '../every-kind.test-support.ts';
import { openChannel } from '../send/open-channel.ts';
import { acceptedBy } from '../send/preview.ts';
import {
  aCheck,
  aFailure,
  anEvent,
  aPing,
  aRecovery,
  aStory,
  OTHERS,
  recordingPorts,
  SERVER,
  VAULT,
} from './alert-event.test-support.ts';
import type { AlertEvent } from './alert-event.ts';
import { bodyOf, exceededLimits } from './limits.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20240310, numRuns: form.isLong ? 100 : 8 };

/** Letters of one to four bytes, marks that join others, markup of all dialects, and placeholders. */
const PIECES = [
  'a',
  'é',
  '日',
  '👩‍👧',
  'e\u0301\u0323',
  '<b>&"\'',
  '*_~`',
  '```',
  '[x](y)',
  '\\',
  '{{',
  '$NAME',
  ' ',
  '\n',
];
/** Bytes, or thereabouts. */
const SIZES = [0, 1, 40, 200, 2_000, 100_000];

/** A text of one sort of letters, or of many. */
const hostile = fc
  .tuple(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }), fc.constantFrom(...SIZES))
  .map(([pieces, size]) => {
    const unit = pieces.join('');
    return unit.repeat(Math.ceil(size / Buffer.byteLength(unit)));
  });

const event = fc
  .record({
    name: hostile,
    tags: hostile,
    description: hostile,
    project: hostile,
    schedule: hostile,
    body: hostile,
    output: hostile,
    other: hostile,
    isUp: fc.boolean(),
    hasStory: fc.boolean(),
  })
  .map((given): AlertEvent => {
    const story = given.isUp ? aRecovery() : aFailure();
    return anEvent({
      to: given.isUp ? 'up' : 'down',
      reason: given.isUp ? '' : 'fail',
      downFor: given.isUp ? 5_400_000_000 : null,
      answers: given.isUp ? { deliveryId: 'x', providerId: 'acme/backups 7' } : null,
      projectName: given.project,
      check: aCheck({
        name: given.name,
        tags: given.tags,
        description: given.description,
        cadence: { kind: 'cron', schedule: given.schedule, tz: 'Europe/Riga' },
      }),
      ping: aPing({ bodySize: Buffer.byteLength(given.body) }),
      body: new TextEncoder().encode(given.body),
      story: given.hasStory
        ? {
            ...story,
            about: { ...aStory().about, name: given.name, description: given.description },
            output: [given.output],
          }
        : null,
      others: {
        ...OTHERS,
        down: 10,
        checks: OTHERS.checks.flatMap((check) => Array(10).fill({ ...check, name: given.other })),
      },
    });
  });

/** The words of a channel's owner: at most so much, with placeholders that stand for more. */
const words = fc.record({
  title: hostile.map((text) => [...text].slice(0, 200).join('').replaceAll('\n', ' ')),
  text: fc
    .tuple(hostile, fc.constantFrom('', '$BODY', '$NAME $TAGS'))
    .map(([text, end]) => [...text].slice(0, 1_900).join('') + end),
});

/** The texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    ? Object.values(value).flatMap(textsIn)
    : [];
}

suite('no message is longer than its provider takes, and no code point is cut, whatever a check is called', () => {
  for (const { kind, code, settings } of everyKind()) {
    test(code.label, async () => {
      const recovers = 'on_recovery' in code.settings ? { on_recovery: 'close' } : {};
      await fc.assert(
        fc.asyncProperty(event, words, async (about, own) => {
          const open = { ...settings, ...recovers, ...(code.takesOwnWords && own) };
          const ports = recordingPorts((request) => acceptedBy(code, request), code);

          const outcome = await openChannel({ kind, settings: { open, sealed: null } }, SERVER, VAULT).send(
            about,
            ports,
          );

          assert.ok(['delivered', 'passed_on'].includes(outcome.kind), JSON.stringify(outcome));
          for (const request of ports.requests) {
            const body = bodyOf(request);
            assert.deepEqual(exceededLimits(body, code.limits), [], 'the limits of its kind');
            const whole = code.limits[''];
            if (body instanceof Uint8Array) assert.ok(body.length <= (whole?.most ?? 0), 'the whole of it');
            else if (whole?.in === 'bytes') assert.ok(sizeOf(String(request.body), 'bytes') <= whole.most);
            for (const text of textsIn(body)) {
              assert.ok(text.isWellFormed() && !text.includes('\ufffd'), 'no code point is cut');
            }
          }
          for (const { bytes } of ports.written) {
            const text = new TextDecoder().decode(bytes);
            assert.ok(bytes.length <= (code.limits['']?.most ?? Number.POSITIVE_INFINITY));
            if (kind === 'signal') {
              assert.deepEqual(exceededLimits(JSON.parse(text), code.limits), []);
              assert.ok(!text.includes('\ufffd'));
            }
          }
        }),
        OPTIONS,
      );
    });
  }

  test('and every kind that asks a provider says what it takes', () => {
    const unlimited = everyKind().filter(({ code }) => Object.keys(code.limits).length === 0);
    assert.deepEqual(
      unlimited.map(({ kind }) => kind),
      ['email', 'group', 'shell', 'webhook'],
    );
  });
});
