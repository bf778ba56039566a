import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drain, FakeSender, failure, newNotifier, OK } from '../alerts.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { actsIn, givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  /** An integration that failed with an alert, which waits for its next try. */
  async function givenWaiting() {
    const team = await givenTeam(app());
    const check = await app().givenCheck(team.project, { status: 'up', lastPingAt: app().clock.now() });
    const channel = await app().givenChannel(team.project);
    await app().assign(check, channel);
    const sender = new FakeSender();
    sender.answer = () => failure('status 503');
    const notifier = newNotifier(app(), sender);
    await app().receive(check, 'fail');
    await drain({ app: app(), notifier });
    const shown = async () => {
      const { json } = await team.browser.get(`${team.path}/read/channelOverview`);
      const { health, waiting } = json.channels[0];
      return [health, waiting];
    };
    return { ...team, channel, sender, notifier, shown };
  }

  test('a test message that arrives does not make an integration well while alerts wait', async () => {
    const { channel, sender, notifier, shown } = await givenWaiting();
    assert.deepEqual(await shown(), ['failing', 1]);

    const attempt = { startedAt: app().clock.now(), duration: 1, error: '' };
    await app().deps.store.transaction((tx) => tx.channels.noteAttempt(channel, attempt));
    assert.deepEqual(await shown(), ['failing', 1]);

    sender.answer = () => OK;
    app().clock.advance({ hours: 1 });
    await drain({ app: app(), notifier });
    assert.deepEqual(await shown(), ['delivering', 0]);
  });

  test('alerts that wait are tried at once when somebody asks for it, and the log says who', async () => {
    const { browser, project, path, channel, sender, notifier, shown } = await givenWaiting();
    sender.answer = () => OK;

    const { json } = await browser.post(`${path}/do/hurryAlerts`, { channel: channel.uuid });
    await drain({ app: app(), notifier });

    assert.deepEqual(json, { alerts: 1 });
    assert.deepEqual(await shown(), ['delivering', 0]);
    assert.ok((await actsIn(app(), project)).some(({ action }) => action === 'channel.hurried'));
  });

  test('of many that wait, one transaction makes no more due than it is told', async () => {
    const { browser, project, path, channel, notifier } = await givenWaiting();
    for (let n = 0; n < 3; n++) {
      const check = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
      await app().assign(check, channel);
      await app().receive(check, 'fail');
    }
    await drain({ app: app(), notifier });
    const { store, clock } = app().deps;

    const some = await store.transaction((tx) => tx.deliveries.hurryAll(channel.id, clock.now(), 3));
    const { json } = await browser.post(`${path}/do/hurryAlerts`, { channel: channel.uuid });

    assert.deepEqual([some, json], [3, { alerts: 1 }]);
  });
});
