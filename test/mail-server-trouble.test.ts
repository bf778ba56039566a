import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import { MailThread } from '../src/lib/mail-thread.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { listDeliveries } from '../src/services/alert/deliveries.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { newNotifier } from './alerts.ts';
import { START, sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { HANG_UP, type MailServerAnswer, startMailSink } from './mail-sink.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check with an address, whose alerts go to a mail server that answers like this. */
  async function given(answer: MailServerAnswer, login: { user: string; password: string } | null = null) {
    await using opened = new AsyncDisposableStack();
    const sink = opened.use(await startMailSink(answer));
    const mail = opened.use(
      new MailThread({
        host: '127.0.0.1',
        port: sink.port,
        user: login?.user ?? null,
        password: login?.password ?? null,
        requiresTls: false,
        isSecure: false,
        from: 'Tocsin <tocsin@example.org>',
        clientNames: [],
      }),
    );
    const { project } = await app().givenProject();
    const channel = await app().givenChannel(project, {
      kind: 'email',
      settings: { email: 'alice@example.org' },
    });
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: START });
    await app().assign(check, channel);
    const notifier = newNotifier(
      app(),
      createChannelSender({
        http: () => assert.fail('nothing but mail is sent'),
        mail,
        server: SERVER,
        vault: app().deps.vault,
        unsubscribeUrl: () => 'http://testserver/stop',
      }),
    );
    const resources = opened.move();
    return {
      check,
      mails: sink.mails,
      drain: async () => {
        while ((await notifier.tick()) === true) await notifier.settled();
      },
      /** The state of the message, and of the integration. */
      state: async () => {
        const [delivery = assert.fail()] = await listDeliveries(
          app().deps,
          systemActor(check.projectId),
          check,
        );
        const { off, lastAttempt } = (await app().deps.store.channels.byId(channel.id)) ?? assert.fail();
        return {
          message: [delivery.state, delivery.attemptCount, delivery.error],
          channel: [off, lastAttempt?.error],
        };
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  }

  for (const when of ['EHLO', 'MAIL FROM', 'DATA', '.']) {
    test(`a mail server that hangs up at ${when} is tried again until it does not`, async () => {
      let isWell = false;
      await using f = await given((line) => (line.startsWith(when) && !isWell ? HANG_UP : undefined));
      const error = 'Mail was not accepted: Connection closed unexpectedly';

      await app().receive(f.check, 'fail');
      await f.drain();
      assert.deepEqual(await f.state(), { message: ['open', 1, error], channel: [null, error] });
      app().clock.advance({ minutes: 1 });
      await f.drain();
      assert.deepEqual(await f.state(), { message: ['open', 2, error], channel: [null, error] });
      isWell = true;
      app().clock.advance({ minutes: 2 });
      await f.drain();

      assert.deepEqual(await f.state(), { message: ['delivered', 3, ''], channel: [null, ''] });
      assert.deepEqual(
        f.mails.map(({ to }) => to),
        [['alice@example.org']],
      );
    });
  }

  test('what a mail server says of a wrong password is kept with the message and the integration', async () => {
    let isKnown = false;
    await using f = await given(
      (line) => {
        if (line.startsWith('EHLO')) return '250-sink\r\n250 AUTH PLAIN';
        if (!line.startsWith('AUTH')) return undefined;
        return isKnown ? '235 Accepted' : '535 5.7.8 Authentication credentials invalid';
      },
      { user: 'tocsin', password: 'very-secret' },
    );
    const error = 'Mail was not accepted: Invalid login: 535 5.7.8 Authentication credentials invalid';

    await app().receive(f.check, 'fail');
    await f.drain();

    assert.deepEqual(await f.state(), { message: ['open', 1, error], channel: [null, error] });
    isKnown = true;
    app().clock.advance({ minutes: 1 });
    await f.drain();
    assert.deepEqual(await f.state(), { message: ['delivered', 2, ''], channel: [null, ''] });
  });
});
