import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ButtonChoice, ButtonVerb } from '../../src/domain/alert/button.ts';
import { seconds } from '../../src/lib/instant.ts';
import { buttonsOf } from '../../src/services/alert/buttons.ts';
import { pauseCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { deliveryRecord } from '../records.ts';

const WRONG = 'This link is not right, or too old.';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check that is down, and the message about it, of an integration with these buttons. */
  async function fixture(
    choice: ButtonChoice = 'pause',
    { cause = 'missed', lastPingAt = START - seconds(26 * 3600) } = {},
  ) {
    const { deps } = app();
    const { project } = await app().givenProject();
    const settings = { topic: 'ops', buttons: choice };
    const channel = await app().givenChannel(project, { kind: 'ntfy', name: 'ops', settings });
    const check = await app().givenCheck(project, {
      name: 'db-<b>ackup',
      status: 'down',
      lastPingAt,
      lastFlipAt: START,
    });
    const uuid = await deps.store.transaction(async (tx) => {
      const [flip] = await tx.flips.insertMany([
        {
          checkId: check.id,
          createdAt: START,
          oldStatus: 'up',
          newStatus: 'down',
          reason: 'timeout',
          cause,
        },
      ]);
      const delivery = deliveryRecord(flip ?? assert.fail(), channel.id);
      await tx.deliveries.insertMany([delivery]);
      return delivery.uuid;
    });
    const pathOf = (verb: ButtonVerb, isTest = false) => {
      const kind = isTest ? 'test' : 'message';
      const about = { deliveryUuid: uuid, kind, now: deps.clock.now() } as const;
      return buttonsOf(deps.vault, about, 'pause', '').find((one) => one.verb === verb)?.url ?? assert.fail();
    };
    const status = async () => (await deps.store.checks.byUuid(check.uuid))?.status;
    /** Whether the check is down, and nobody has answered. */
    const isUntouched = async () => {
      const { status, snoozedUntilAt } = (await deps.store.checks.byUuid(check.uuid)) ?? assert.fail();
      const outages = await deps.store.outages.openOf([check.id]);
      return (
        status === 'down' && snoozedUntilAt === null && outages.every((one) => one.acknowledgedAt === null)
      );
    };
    return { project, channel, check, pathOf, status, isUntouched };
  }

  const heading = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];

  test('opening a button shows what it does and changes nothing, however often', async () => {
    const { pathOf, isUntouched } = await fixture();

    const replies = [];
    for (let n = 0; n < 10; n++) replies.push(await app().request('GET', pathOf('pause')));
    const head = await app().request('HEAD', pathOf('pause'));

    const { text, headers } = replies[0] ?? assert.fail();
    assert.equal(heading(text), 'Down: db-&lt;b&gt;ackup');
    assert.match(text, /No ping for 26 h, expected every day\./);
    assert.match(text, /<button type="submit">Pause<\/button>/);
    assert.doesNotMatch(text, /<script|<img|<link|\son\w+=/i);
    assert.equal(head.status, 200);
    assert.deepEqual(
      [headers['cache-control'], headers['referrer-policy'], headers['x-robots-tag']],
      ['no-store', 'no-referrer', 'noindex'],
    );
    assert.ok(await isUntouched());
  });

  for (const [why, words] of [
    [{ cause: 'overran' }, 'A run did not end in time, a moment ago.'],
    [{ lastPingAt: START + seconds(60) }, 'A run did not come, a moment ago, expected every day.'],
  ] as const)
    test(`its page says why the check went down: ${words}`, async () => {
      const { pathOf } = await fixture('answer', why);

      const { text } = await app().request('GET', pathOf('acknowledge'));

      assert.ok(text.includes(words), text);
    });

  for (const [verb, label, effect] of [
    ['acknowledge', 'Acknowledge', 'Nobody else is told until it is up.'],
    ['snooze', 'Snooze 1 h', 'Nobody is told of it for an hour.'],
    ['pause', 'Pause', 'It is not watched until somebody resumes it, or it pings.'],
  ] as const)
    test(`its page says what it does: ${verb}`, async () => {
      const { pathOf, isUntouched } = await fixture();

      for (let n = 1; n < 10; n++) await app().request('GET', pathOf(verb));
      const { text } = await app().request('GET', pathOf(verb));
      await app().request('HEAD', pathOf(verb));

      assert.equal(heading(text), 'Down: db-&lt;b&gt;ackup');
      assert.ok(text.includes(`<button type="submit">${label}</button>`) && text.includes(effect), text);
      assert.doesNotMatch(text, /<script/i);
      assert.ok(await isUntouched());
    });

  const forms: [name: string, options: { body?: string; headers?: Record<string, string> }][] = [
    ['without a body', {}],
    [
      'as a form of another site',
      {
        body: 'a=b',
        headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
    ['as JSON', { body: '{"x":', headers: { 'content-type': 'application/json' } }],
  ];
  for (const [name, options] of forms) {
    test(`a press acts, and the log names the phone: ${name}`, async () => {
      const { project, pathOf, status } = await fixture();

      const reply = await app().request('POST', pathOf('pause'), options);

      assert.equal(reply.status, 200);
      assert.equal(heading(reply.text), 'Paused by a phone with ntfy ops.');
      assert.equal(await status(), 'paused');
      const page = { after: null, from: null, before: null, most: 10 };
      const [act] = await app().deps.store.auditLog.page({ projectId: project.id }, page);
      assert.deepEqual(
        [act?.action, act?.actor, act?.means],
        ['check.paused', 'a phone with ntfy ops', 'link'],
      );
    });
  }

  test('a program is answered with JSON', async () => {
    const { pathOf } = await fixture();

    const reply = await app().request('POST', pathOf('pause'), { headers: { accept: 'application/json' } });

    assert.deepEqual(JSON.parse(reply.text), { text: 'Paused by a phone with ntfy ops.' });
  });

  test('a second press says who was first', async () => {
    const { pathOf } = await fixture();
    await app().request('POST', pathOf('pause'));

    const reply = await app().request('POST', pathOf('pause'));

    assert.equal(heading(reply.text), 'Already paused by a phone with ntfy ops.');
  });

  for (const [means, token] of [
    ['session', ''],
    ['account_token', ' (CI)'],
  ] as const)
    test(`whoever has only the button learns the name that a person has chosen: ${means}`, async () => {
      const { pathOf, project, check } = await fixture();
      const { deps } = app();
      const owner = await deps.store.accounts.ownerOf(project.id);
      assert.ok(owner !== null);
      await deps.store.transaction((tx) => tx.accounts.save({ ...owner, name: 'Anna' }));
      const by = { accountId: owner.id, name: owner.email + token, means, remoteAddr: null } as const;
      await pauseCheck(deps, systemActor(project.id, by), check.id);

      const reply = await app().request('POST', pathOf('pause'));

      assert.equal(heading(reply.text), `Already paused by Anna${token}.`);
    });

  test('an outage is acknowledged once, and the second press says who was first', async () => {
    const { pathOf, status } = await fixture('answer');

    const first = await app().request('POST', pathOf('acknowledge'));
    const second = await app().request('POST', pathOf('acknowledge'));

    assert.equal(heading(first.text), 'Acknowledged by a phone with ntfy ops.');
    assert.match(first.text, /<a href="[^"]*\/cloaked\/[0-9a-f]{40}\/">Open the check<\/a>/);
    assert.match(second.text, /Already acknowledged by a phone with ntfy ops at \d\d:\d\d UTC\./);
    assert.equal(await status(), 'down');
  });

  test('a check is snoozed for an hour from the last press', async () => {
    const { check, pathOf } = await fixture('answer');

    const path = pathOf('snooze');
    for (const [minutes, until] of [
      [0, '13:00'],
      [10, '13:10'],
    ] as const) {
      app().clock.advance({ minutes });
      const reply = await app().request('POST', path);

      assert.equal(heading(reply.text), `Snoozed until ${until} UTC.`);
      const after = await app().deps.store.checks.byUuid(check.uuid);
      assert.equal(after?.snoozedUntilAt, app().deps.clock.now() + seconds(3600));
    }
  });

  test('after the end of the outage nothing is changed, also in the next one', async () => {
    const { check, pathOf, isUntouched } = await fixture();
    await app().deps.store.transaction(async (tx) => {
      const up = { checkId: check.id, createdAt: START + 1, reason: '', cause: '' } as const;
      await tx.flips.insertMany([{ ...up, oldStatus: 'down', newStatus: 'up' }]);
      await tx.flips.insertMany([
        { ...up, createdAt: START + 2, oldStatus: 'up', newStatus: 'down', reason: 'fail' },
      ]);
    });

    for (const [method, verb] of [
      ['GET', 'pause'],
      ['POST', 'pause'],
      ['POST', 'acknowledge'],
      ['POST', 'snooze'],
    ] as const) {
      const reply = await app().request(method, pathOf(verb));

      assert.match(reply.text, /ackup came up at \d\d:\d\d UTC\. Nothing was changed\./);
    }
    assert.ok(await isUntouched());
  });

  test('a link that was altered, is too old, or names another verb or message is refused without a name', async () => {
    const { pathOf, status } = await fixture();
    const other = await fixture();
    const path = pathOf('pause');
    const [token = ''] = /[0-9a-f]{40}/.exec(path) ?? [];
    const [delivery = ''] = /[-0-9a-f]{36}/.exec(path) ?? [];
    const wrong = [
      ...[token, delivery].flatMap((part) =>
        Array.from(part, (_, place) => path.replace(part, altered(part, place))),
      ),
      path.replace(token, token.slice(0, 24)),
      path.replace('/pause/', '/snooze/'),
      path.replace('/pause/', '/delete/'),
      other.pathOf('pause').replace(/[0-9a-f]{40}/, token),
    ];
    for (const one of wrong) {
      for (const method of ['GET', 'POST']) {
        const reply = await app().request(method, one);

        assert.deepEqual([reply.status, heading(reply.text)], [404, WRONG], one);
        assert.doesNotMatch(reply.text, /ackup/);
      }
    }
    app().clock.advance({ seconds: 7 * 86_400 + 1 });
    assert.equal((await app().request('POST', path)).status, 404);
    assert.equal(await status(), 'down');
  });

  test('a made-up address asks no database', async () => {
    const { pathOf } = await fixture();
    const { store } = app().deps;
    const asked: string[] = [];
    const { byUuid } = store.deliveries;
    store.deliveries.byUuid = async (uuid) => {
      asked.push(uuid);
      return byUuid.call(store.deliveries, uuid);
    };

    await app().request('GET', pathOf('pause').replace(/[0-9a-f]{40}/, '0'.repeat(40)));
    store.deliveries.byUuid = byUuid;

    assert.deepEqual(asked, []);
  });

  test('what the integration does not allow any more is refused with a sentence', async () => {
    for (const choice of ['none', 'answer'] as const) {
      const { pathOf, status } = await fixture(choice);

      const reply = await app().request('POST', pathOf('pause'));

      assert.equal(
        heading(reply.text),
        'The buttons of this integration were switched off. Nothing was changed.',
      );
      assert.equal(await status(), 'down');
    }
  });

  test('a check or an integration that is gone is like a wrong link', async () => {
    const { channel, pathOf } = await fixture();
    await app().deps.store.transaction((tx) => tx.channels.delete(channel));

    assert.equal((await app().request('GET', pathOf('pause'))).status, 404);
  });

  test('a button of a test says that it works', async () => {
    const { pathOf, status } = await fixture();

    for (const method of ['GET', 'POST']) {
      const reply = await app().request(method, pathOf('pause', true));

      assert.match(reply.text, /It works: this phone reaches Tocsin\. Nothing was changed\./);
    }
    assert.equal(await status(), 'down');
  });
});

function altered(text: string, place: number): string {
  const sign = text[place] === '0' ? '1' : '0';
  return `${text.slice(0, place)}${sign}${text.slice(place + 1)}`;
}
