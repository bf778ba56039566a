import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import { anEvent, aReply, SERVER } from '../kind/alert-event.test-support.ts';
import { readSettings } from '../settings/channel-settings.ts';
import { trello } from './trello.ts';

const LIST = {
  token: 't'.repeat(1_000),
  list_id: '5abbe4b7ddc1b351ef961414',
  board_name: 'Ops',
  list_name: '',
  on_recovery: 'nothing',
} as const;

suite('Trello', () => {
  test('gets a card when a check goes down, and nothing when it comes up', () => {
    const calls = trello.render(anEvent(), LIST, SERVER);
    assert.ok(Array.isArray(calls));
    const form = new URLSearchParams(String(calls[0]?.body));

    assert.equal(calls[0]?.url, 'https://api.trello.com/1/cards');
    assert.equal(form.get('name'), 'Down: Nightly backup');
    assert.equal(form.get('idList'), LIST.list_id);
    assert.equal(form.get('token'), LIST.token);
    assert.match(form.get('desc') ?? '', /\*\*Period:\*\* 1 day/);
    assert.equal(trello.wants(LIST, 'up'), false);
  });

  test('is told on the card of an outage that it is over, if its owner wants that', () => {
    const outcome = trello.classify(aReply(200, { id: '5abbe4b7ddc1b351ef961415', name: 'Down: x' }));
    assert.deepEqual(outcome, { kind: 'delivered', providerId: '5abbe4b7ddc1b351ef961415' });
    const sent = (act: 'comment' | 'close', providerId: string | null) => {
      const answers = { deliveryId: anEvent().deliveryId, providerId };
      const up = anEvent({ to: 'up', reason: '', downFor: seconds(5400), answers });
      const calls = trello.render(up, { ...LIST, on_recovery: act }, SERVER);
      assert.ok(Array.isArray(calls));
      return calls.map(({ method, url, body }) => {
        const { closed, text } = Object.fromEntries(new URLSearchParams(String(body)));
        return [`${method} ${new URL(url).pathname}`, closed ?? text];
      });
    };
    const card = '/1/cards/5abbe4b7ddc1b351ef961415';
    const comment = [
      `POST ${card}/actions/comments`,
      'Nightly backup is UP.\n\nThe downtime lasted 1 hour, 30 minutes.',
    ];

    assert.deepEqual(sent('comment', outcome.providerId), [comment]);
    assert.deepEqual(sent('close', outcome.providerId), [[`PUT ${card}`, 'true'], comment]);
    for (const none of [null, '../boards/1']) assert.deepEqual(sent('close', none), []);
    assert.equal(trello.wants({ ...LIST, on_recovery: 'comment' }, 'up'), true);
  });

  test('takes a long token, and a list by its id in hexadecimal', () => {
    assert.ok(!(readSettings('trello', LIST) instanceof Fault));
    for (const id of ['5abbe4b7ddc1b35', 'x'.repeat(24), 'a'.repeat(33)]) {
      assert.ok(readSettings('trello', { ...LIST, list_id: id }) instanceof Fault, id);
    }
  });

  test('without a key of the operator gets nothing', () => {
    assert.deepEqual(trello.render(anEvent(), LIST, { TRELLO_APP_KEY: null }), {
      kind: 'refused',
      error: 'Trello notifications are not enabled.',
    });
  });
});
