import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import { seconds } from '../src/lib/instant.ts';
import type { Mail } from '../src/lib/mail-sender.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { unsubscribeToken } from '../src/services/alert/channel-links.ts';
import { queueReminders } from '../src/services/mail/reminders.ts';
import { queueReports } from '../src/services/mail/reports.ts';
import { setReminders } from '../src/services/people/mail-preferences.ts';
import { FakeMailSender, mailPreferencesOf, post } from './account-mails.ts';
import { newNotifier } from './alerts.ts';
import { SITE, START, sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

/** The addresses in a mail that lead to the service: in its header, its text and its HTML. */
function linksOf({ headers, text, html }: Mail): string[] {
  const whole = [...Object.values(headers), text, html.replaceAll('&amp;', '&')].join('\n');
  return whole.match(/http:\/\/testserver[^\s"<>]*/g) ?? [];
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine, {}, { pages: { document: Buffer.from('a page'), files: new Map() } });

  /** An alert, a reminder and a report about a check that went down. */
  async function mailsAboutAnOutage(): Promise<readonly Mail[]> {
    const { deps, clock } = app();
    const { project, ownerId } = await app().givenProject();
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: START, lastReceivedAt: START });
    const settings = { email: 'alice@example.org' };
    await app().assign(check, await app().givenChannel(project, { kind: 'email', settings }));
    const mailSender = new FakeMailSender();
    const channelSender = createChannelSender({
      http: () => assert.fail('nothing but mail is sent'),
      mail: { send: (mail) => mailSender.send(mail), [Symbol.asyncDispose]: async () => undefined },
      server: SERVER,
      vault: deps.vault,
      unsubscribeUrl: (channel) =>
        `${SITE.root}/integrations/${channel.uuid}/unsub/${unsubscribeToken(deps, channel)}/`,
    });
    await deps.store.transaction((tx) => setReminders(tx, ownerId, 3600, clock.now()));
    await app().receive(check, 'fail');
    const notifier = newNotifier(app(), channelSender);
    while ((await notifier.tick()) === true) await notifier.settled();
    clock.set(START + seconds(3601));
    await queueReminders(deps, true);
    await post(app(), mailSender);
    await queueReports(deps, true);
    clock.set((await mailPreferencesOf(app(), ownerId)).nextReportAt ?? assert.fail('there is no date'));
    await queueReports(deps, true);
    await post(app(), mailSender);
    return mailSender.sent;
  }

  test('every link in a mail leads to a page that is there', async () => {
    const mails = await mailsAboutAnOutage();
    assert.ok(mails.some(({ subject }) => subject.startsWith('Down: ')));
    assert.ok(mails.some(({ subject }) => subject.startsWith('Still down: ')));
    assert.ok(mails.some(({ subject }) => subject.startsWith('March: ')));

    // A report comes when the buttons of an alert are too old.
    app().clock.set(START);
    for (const mail of mails) {
      const links = new Set(linksOf(mail));
      assert.ok(links.size > 0, mail.subject);
      for (const link of links) {
        const { status } = await app().request('GET', link.slice(SITE.root.length) || '/');
        assert.ok(status < 400, `${mail.subject}: ${link} is answered by ${status}`);
      }
    }
  });
});
