import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Channel } from '../src/domain/alert/channel.ts';
import { reportDelivery } from '../src/services/alert/callbacks.ts';
import { switchOffFailed } from '../src/services/alert/channel-settings.ts';
import { queueFailingNotices } from '../src/services/alert/channel-trouble.ts';
import { addMember, FakeMailSender, mailPreferencesOf, post } from './account-mails.ts';
import { type ChannelOverrides, START, sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given() {
    const { project, ownerId } = await app().givenProject();
    const channel = (fields: ChannelOverrides = {}) =>
      app().givenChannel(project, {
        kind: 'slack',
        name: '',
        settings: { url: 'https://hooks.example/T/secret' },
        ...fields,
      });
    const attempt = async (one: Channel, error: string) => {
      const startedAt = app().clock.now();
      await app().deps.store.transaction((tx) =>
        tx.channels.noteAttempt(one, { startedAt, duration: 1, error }),
      );
    };
    const { email } = await mailPreferencesOf(app(), ownerId);
    /** The mails to the owner of this project alone: others share the app. */
    const mails = async () => {
      const sender = new FakeMailSender();
      await post(app(), sender);
      return sender.sent.filter(({ to }) => to === email);
    };
    return { project, ownerId, channel, attempt, mails };
  }

  const tellAll = async () => {
    app().clock.advance({ seconds: 3700 });
    while (await queueFailingNotices(app().deps));
  };

  describe('of an integration that cannot deliver any more', () => {
    test('its owner is told once, and nobody else', async () => {
      const { project, channel, mails } = await given();
      await addMember(app(), project);
      const slack = await channel();
      const switchOff = () =>
        app().deps.store.transaction((tx) =>
          switchOffFailed(app().deps, tx, slack, 'Received status code 404', START),
        );

      await switchOff();
      await switchOff();

      const [mail, ...more] = await mails();
      assert.deepEqual(more, []);
      assert.equal(mail?.subject, 'The integration "Slack Incoming webhook at hooks.example" is off');
      assert.match(mail.text, /Received status code 404/);
      assert.match(mail.text, new RegExp(`/projects/${project.uuid}/integrations/${slack.uuid}/`));
      assert.doesNotMatch(mail.text, /secret/);
    });

    test('nothing is told if somebody has switched it on meanwhile, or deleted it', async () => {
      const { channel, mails } = await given();
      const [one, two] = [await channel(), await channel()];
      await app().deps.store.transaction(async (tx) => {
        for (const each of [one, two]) await switchOffFailed(app().deps, tx, each, 'gone', START);
        await tx.channels.update({ ...one, off: null });
        await tx.channels.delete(two);
      });

      assert.deepEqual(await mails(), []);
    });

    test('a provider that asks to stop counts as well', async () => {
      const { project, channel, mails } = await given();
      const slack = await channel({ name: 'Ops' });
      const check = await app().givenCheck(project, { status: 'up', lastPingAt: START });
      await app().assign(check, slack);
      await app().receive(check, 'fail');
      const [delivery] = await app().deps.store.deliveries.ofChannel(slack.id, 1);
      assert.ok(delivery !== undefined);

      await reportDelivery(app().deps, delivery, { error: 'complaint', disableChannel: true });

      assert.deepEqual(
        (await mails()).map(({ subject }) => subject),
        ['The integration "Ops" is off'],
      );
    });
  });

  describe('of an integration that has failed for a day while another one delivered', () => {
    test('its owner is told once for each time it fails', async () => {
      const { channel, attempt, mails } = await given();
      const [slack, other] = [await channel({ name: 'Ops' }), await channel()];
      const fail = async () => {
        await attempt(slack, 'Received status code 503');
        app().clock.advance({ seconds: 60 });
        await attempt(other, '');
        app().clock.advance({ days: 1 });
        await tellAll();
        await tellAll();
      };

      await fail();
      const [mail, ...more] = await mails();
      assert.deepEqual(more, []);
      assert.equal(mail?.subject, 'The integration "Ops" has failed for a day');
      assert.match(mail.text, /Received status code 503/);

      await attempt(slack, '');
      app().clock.advance({ seconds: 60 });
      await fail();
      assert.equal((await mails()).length, 1);
    });

    test('nothing is told before a day has passed, while all fail, or if it is off', async () => {
      const { channel, attempt, mails } = await given();
      const young = await given();
      const [slack, other] = [await channel(), await channel()];
      await attempt(slack, 'no');
      await attempt(other, 'no');
      app().clock.advance({ days: 1 });
      const [late, fine] = [await young.channel(), await young.channel()];
      await young.attempt(late, 'no');
      app().clock.advance({ seconds: 60 });
      await young.attempt(fine, '');
      await tellAll();
      assert.deepEqual([await mails(), await young.mails()], [[], []]);

      await attempt(other, '');
      await app().deps.store.transaction((tx) =>
        tx.channels.switchOff(slack, { reason: 'switched_off', error: '', at: START }),
      );
      await tellAll();
      assert.deepEqual(await mails(), []);
    });

    test('one of several nodes tells it', async () => {
      const { channel, attempt, mails } = await given();
      const [slack, other] = [await channel(), await channel()];
      await attempt(slack, 'no');
      app().clock.advance({ seconds: 60 });
      await attempt(other, '');
      app().clock.advance({ days: 1 });

      await Promise.all([queueFailingNotices(app().deps), queueFailingNotices(app().deps)]);
      await tellAll();

      assert.equal((await mails()).length, 1);
    });
  });
});
