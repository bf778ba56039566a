import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { aReply, SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../src/integrations/registry.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { buttonTrouble } from '../src/notifier/message-buttons.ts';
import { Notifier } from '../src/notifier/notifier.ts';
import { createPreviewRenderer } from '../src/notifier/preview-renderer.ts';
import { exportInstallation, joinedText } from '../src/provision/installation.ts';
import { readInstallation } from '../src/services/provisioning/installation.ts';
import { drain } from './alerts.ts';
import { SITE, START, sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

const PUBLIC = { ...SITE, root: 'https://tocsin.example.org', name: 'Tocsin' };
const ADDRESS = /\/buttons\/([-0-9a-f]{36})\/(acknowledge|snooze|pause)\/([0-9a-f]{40})\//;

const KINDS: Record<string, object> = {
  ntfy: { topic: 'ops' },
  slack: { url: 'https://hooks.slack.example/services/T0/B0' },
  po: { user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', priority_down: 2, priority_up: 0 },
  webhook: { down: { method: 'POST', url: 'https://hooks.example.org/?ack=$ACK_URL', body: '$SNOOZE_URL' } },
  sms: { phone: '+15551234567', text: '$NAME $ACK_URL' },
};

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check goes down, and an integration of the kind is told. Its provider repeats the request in its answer. */
  async function told(kind: string, { root = PUBLIC.root, buttons = 'answer' } = {}) {
    const sent: OutboundRequest[] = [];
    const { deps } = app();
    const site = { ...PUBLIC, root };
    const sender = createChannelSender({
      http: async (request) => {
        sent.push(request);
        return aReply(400, `refused: ${request.url} ${request.body}`);
      },
      ...{ mail: null, server: SERVER, vault: deps.vault, unsubscribeUrl: () => '' },
    });
    const logged: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
    const options = { site, log, maxConcurrent: 20, maxConcurrentPerDestination: 20 };
    const given = await app().givenProject();
    const channel = await app().givenChannel(given.project, {
      ...{ kind, name: 'Ops', settings: { ...KINDS[kind], buttons } },
    });
    const check = await app().givenCheck(given.project, { status: 'up', lastPingAt: START });
    await app().assign(check, channel);
    const down = await app().receive(check, 'fail');
    await drain({ app: app(), notifier: new Notifier(deps, sender, options) });
    const texts = sent.map(({ url, body }) => `${url} ${body}`);
    // Some are percent-encoded, and some are in JSON.
    const text = decodeURIComponent(
      texts
        .join('\n')
        .replaceAll('+', ' ')
        .replace(/%(?![0-9A-F]{2})/g, ''),
    );
    const preview = await createPreviewRenderer(
      deps,
      sender,
      site,
    )(channel, { project: given.project, told: 'down_fail', check: down, at: deps.clock.now() });
    return { ...given, check, text, preview: JSON.stringify(preview), logged };
  }

  for (const kind of Object.keys(KINDS)) {
    test(`addresses of buttons are in no kept answer, list, preview, log or export: ${kind}`, async () => {
      const { project, key, check, text, preview, logged } = await told(kind);
      const [address, delivery, , token = ''] = ADDRESS.exec(text) ?? assert.fail(text);
      const pressed = await app().request('POST', address);
      assert.equal(pressed.status, 200);

      const { store } = app().deps;
      const kept = await store.deliveries.ofCheck(check.id, 10);
      const listed = await app().request('GET', `/api/v3/checks/${check.uuid}/deliveries/`, { key });
      const page = { after: null, from: null, before: null, most: 10 };
      const acts = await store.auditLog.page({ projectId: project.id }, page);

      const all = await readInstallation(app().deps, 'Alpha');
      const own = { ...all, projects: all.projects.filter((one) => one.project.uuid === project.uuid) };
      const exported = joinedText(exportInstallation(own, app().deps.defaultLimits).files);

      assert.equal(kept[0]?.uuid, delivery);
      assert.match(logged.join(''), /delivery\.refused/);
      assert.match(exported, /name: "Ops"/);
      assert.match(JSON.stringify(kept), /refused/);
      for (const shown of [
        JSON.stringify(kept),
        listed.text,
        JSON.stringify(acts),
        preview,
        pressed.text,
        logged.join(''),
        exported,
      ]) {
        assert.equal(shown.includes(token.slice(8, 24)), false, shown);
        assert.doesNotMatch(shown, ADDRESS);
      }
      assert.deepEqual(
        acts.map(({ action }) => action),
        [ADDRESS.exec(text)?.[2] === 'snooze' ? 'check.snoozed' : 'check.acknowledged'],
      );
    });
  }

  test('an emergency that somebody acknowledges at Pushover is acknowledged here', async () => {
    const { check, text } = await told('po');
    const [, callback = ''] = /callback=([^& ]+)/.exec(text) ?? assert.fail(text);
    assert.ok(callback.startsWith(`${PUBLIC.root}/buttons/`));

    const reply = await app().request('POST', callback.slice(PUBLIC.root.length), {
      body: 'receipt=r&acknowledged=1&acknowledged_by=u',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

    assert.equal(reply.status, 200);
    const [outage] = await app().deps.store.transaction((tx) => tx.outages.lockOpen([check.id]));
    assert.equal(outage?.acknowledgedBy, 'a phone with Pushover Ops');
  });

  test('Pushover is given no address that it cannot reach, the message has all links, and the page of the integration says so', async () => {
    const { text } = await told('po', { root: 'http://10.0.0.5:8000' });

    assert.doesNotMatch(text, /callback=/);
    assert.match(text, /\/buttons\/[-0-9a-f]{36}\/acknowledge\//);
    const trouble = (root: string) => buttonTrouble('po', { root, hearsTaps: async () => true });
    assert.match((await trouble('http://10.0.0.5:8000')) ?? '', /cannot reach this service by its address/);
    assert.equal(await trouble(PUBLIC.root), null);
  });

  test('there are no buttons where the integration has none, and where only this machine could use them', async () => {
    for (const options of [{ buttons: 'none' }, { root: 'http://localhost:8000' }]) {
      const { text, preview } = await told('ntfy', options);

      assert.doesNotMatch(text + preview, /buttons\//);
    }
  });

  test('a pause is in messages only where the integration allows it', async () => {
    assert.doesNotMatch((await told('ntfy')).text, /\/pause\//);
    assert.match((await told('ntfy', { buttons: 'pause' })).text, /\/pause\//);
  });
});
