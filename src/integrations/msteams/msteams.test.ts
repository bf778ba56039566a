import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { aCheck, anEvent, anEventWithBody, aReply, bodyOf } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { msteams } from './msteams.ts';

const SETTINGS = { url: 'https://prod.example.org/workflows/1?sig=secret' };

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly codeSnippet?: string;
  readonly facts?: readonly { title: string; value: string }[];
}

interface Message {
  readonly attachments: readonly [
    { content: { fallbackText: string; body: readonly Block[]; actions?: readonly { url: string }[] } },
  ];
}

const cardOf = (event: AlertEvent) =>
  bodyOf<Message>(msteams.render(event, SETTINGS, { MSTEAMS_ENABLED: true })).attachments[0].content;

suite('Microsoft Teams', () => {
  test('the heading has the state and the reason, and the fallback escapes the name', () => {
    const { body, fallbackText, actions } = cardOf(anEvent({ check: aCheck({ name: 'a & b' }) }));

    assert.equal(
      body[0]?.text,
      '🔴 “a &amp; b” is DOWN (success signal did not arrive on time, grace time passed).',
    );
    assert.equal(fallbackText, '“a &amp; b” is DOWN.');
    assert.match(actions?.at(-1)?.url ?? '', /\/cloaked\//);
  });

  test('the heading of a check that is up has no downtime: that is a line of its own', () => {
    const { body } = cardOf(anEvent({ to: 'up', reason: '', downFor: seconds(5400) }));

    assert.equal(body[0]?.text, '🟢 “Nightly backup” is UP.');
    assert.equal(body[1]?.text, 'The downtime lasted 1 hour, 30 minutes.');
  });

  test('facts have titles with a colon, and each line of a description is a paragraph', () => {
    const { body } = cardOf(anEvent());

    const facts = body.find(({ type }) => type === 'FactSet')?.facts ?? [];
    assert.deepEqual(
      facts.map(({ title }) => title),
      ['Description:', 'Project:', 'Tags:', 'Period:', 'Total Pings:', 'Last Ping:'],
    );
    assert.equal(facts[0]?.value, 'Dumps the database.\n\nRunbook: wiki/backup');
  });

  test('a body is a block of code, as it is', () => {
    const { body } = cardOf(anEventWithBody('**a** ``` <b>'));

    assert.equal(body.at(-1)?.codeSnippet, '**a** ``` <b>');
  });

  test('a card with the longest texts is below the size that Teams takes', () => {
    const check = aCheck({ name: '日'.repeat(100), description: '日'.repeat(5000), tags: '日 '.repeat(250) });
    const calls = msteams.render({ ...anEventWithBody('日'.repeat(5000)), check }, SETTINGS, {
      MSTEAMS_ENABLED: true,
    });

    assert.ok(Array.isArray(calls));
    // Teams counts two bytes for each unit.
    assert.ok(calls[0].body.length * 2 < 28_000);
  });

  test('a workflow that is gone switches the channel off, any other refusal is worth another try', () => {
    const gone = { error: { code: 'WorkflowNotFound', message: 'The workflow could not be found.' } };
    assert.equal(msteams.classify(aReply(404, gone)).kind, 'permanent');
    assert.equal(msteams.classify(aReply(404)).kind, 'try_again');
    assert.equal(msteams.classify(aReply(202)).kind, 'delivered');
  });

  test('nothing is sent where the operator has switched it off', () => {
    assert.deepEqual(msteams.render(anEvent(), SETTINGS, { MSTEAMS_ENABLED: false }), {
      kind: 'refused',
      error: 'MS Teams notifications are not enabled.',
    });
  });
});
