import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVER } from '../../src/integrations/kind/alert-event.test-support.ts';
import { describeKinds } from '../../src/integrations/registry.ts';
import { FakeSender, failure, newNotifier, OK } from '../alerts.ts';
import { type GivenProject, sharedTestApp } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { forEachEngine } from '../engines.ts';
import { assertError } from './answers.ts';

let numbers = 0;

/** A number that no other test uses, since codes to one number are limited for everybody. */
const aNumber = () => `+1555${String(1_000_000 + numbers++)}`;

interface Shown {
  readonly id: string;
  readonly verified: boolean;
  readonly last_error: string;
}

forEachEngine((engine) => {
  let sent: { readonly uuid: string; readonly code: string }[] = [];
  let provider = OK;
  const app = sharedTestApp(
    engine,
    {},
    {
      sendCode: async ({ uuid }, code) => {
        sent.push({ uuid, code });
        return provider;
      },
      sendTest: async ({ verified }) => (verified ? OK : { kind: 'refused', error: 'Not confirmed' }),
    },
  );
  const call = async ({ key }: Pick<GivenProject, 'key'>, path: string, body: unknown = {}) => {
    const reply = await app().request('POST', `/api/v3/channels/${path}`, { key, body });
    return { ...reply, shown: reply.json as Shown };
  };
  const given = async (phone = aNumber()) => {
    sent = [];
    provider = OK;
    const project = await app().givenProject();
    const { status, shown, text } = await call(project, '', { kind: 'sms', settings: { phone } });
    assert.equal(status, 201, text);
    return { ...project, shown, phone, path: shown.id };
  };
  const lastCode = () => sent.at(-1)?.code ?? assert.fail('no code was sent');
  const wrongCode = () => (lastCode() === '111111' ? '222222' : '111111');
  const WRONG = 'code is wrong, or has expired';

  test('a phone number gets a code, and nothing else before somebody has handed it in', async () => {
    const project = await given();
    const { path } = project;
    assert.deepEqual([project.shown.verified, sent.length], [false, 1]);
    assert.match(lastCode(), /^\d{6}$/);

    assertError(await call(project, `${path}/confirm`, { code: wrongCode() }), 400, WRONG);
    assertError(await call(project, `${path}/confirm`, {}), 400, 'code is missing');
    const refused = (await call(project, `${path}/test`)).json as { ok: boolean; error: string };
    assert.deepEqual([refused.ok, refused.error], [false, 'Not confirmed']);
    const code = `${lastCode().slice(0, 3)} ${lastCode().slice(3)}`;
    const confirmed = await call(project, `${path}/confirm`, { code });

    assert.deepEqual([confirmed.status, confirmed.shown.verified], [200, true]);
    assert.equal(((await call(project, `${path}/test`)).json as { ok: boolean }).ok, true);
    assert.equal(sent.length, 1);
  });

  test('an alert to a number that is not confirmed is given up, and not kept for later', async () => {
    const { project, shown, key } = await given();
    const channel = (await app().deps.store.channels.byUuid(shown.id)) ?? assert.fail();
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    await app().assign(check, channel);
    const sender = new FakeSender();
    await app().receive(check, 'fail');

    const notifier = newNotifier(app(), sender);
    while ((await notifier.tick()) === true) await notifier.settled();

    const { json } = await app().request('GET', `/api/v3/checks/${check.uuid}/deliveries/`, { key });
    const { deliveries } = json as { deliveries: { state: string; error: string }[] };
    assert.deepEqual(
      deliveries.map(({ state, error }) => [state, error]),
      [['given_up', 'Not confirmed']],
    );
    assert.deepEqual(sender.sent, []);
  });

  test('codes are kept as digests', async () => {
    const { shown } = await given();
    const { store } = app().deps;
    const channel = (await store.channels.byUuid(shown.id)) ?? assert.fail();

    const kept = (await store.channels.keptCode(channel.id)) ?? assert.fail();

    assert.match(kept.digest, /^[0-9a-f]{64}$/);
    assert.ok(!kept.digest.includes(lastCode()));
  });

  test('a code is good for 15 minutes', async () => {
    const project = await given();
    app().clock.advance({ seconds: 900 });

    assertError(await call(project, `${project.path}/confirm`, { code: lastCode() }), 400, WRONG);

    await call(project, `${project.path}/confirmation`);
    app().clock.advance({ seconds: 899 });
    const { shown } = await call(project, `${project.path}/confirm`, { code: lastCode() });
    assert.equal(shown.verified, true);
  });

  test('after five wrong tries the right code is not taken either', async () => {
    const project = await given();
    const wrong = wrongCode();
    for (let n = 0; n < 5; n += 1)
      assertError(await call(project, `${project.path}/confirm`, { code: wrong }), 400, WRONG);

    const late = await call(project, `${project.path}/confirm`, { code: lastCode() });

    assert.equal(late.status, 429);
    assert.ok(Number(late.headers['retry-after']) > 0);
    const { verified } = (await app().deps.store.channels.byUuid(project.path)) ?? assert.fail();
    assert.equal(verified, false);
  });

  test('a new code takes the place of the old one', async () => {
    const project = await given();
    const old = lastCode();

    assert.equal((await call(project, `${project.path}/confirmation`)).status, 200);

    if (old !== lastCode())
      assertError(await call(project, `${project.path}/confirm`, { code: old }), 400, WRONG);
    assert.equal((await call(project, `${project.path}/confirm`, { code: lastCode() })).shown.verified, true);
    assert.equal((await call(project, `${project.path}/confirmation`)).status, 200);
    assert.equal(sent.length, 2, 'nothing is sent to a number that is confirmed');
  });

  test('another number has to be confirmed again, and not with the code of the old one', async () => {
    const project = await given();
    const { path } = project;
    const first = lastCode();
    await call(project, `${path}/confirm`, { code: first });

    const same = await call(project, path, { name: 'Night', settings: { phone: project.phone } });
    const other = await call(project, path, { settings: { phone: aNumber() } });

    assert.deepEqual([same.shown.verified, other.shown.verified, sent.length], [true, false, 2]);
    if (first !== lastCode())
      assertError(await call(project, `${path}/confirm`, { code: first }), 400, WRONG);
    assert.equal((await call(project, `${path}/confirm`, { code: lastCode() })).shown.verified, true);
  });

  test('a code of one integration is worth nothing for another one with the same number', async () => {
    const project = await given();
    const code = lastCode();
    const { shown } = await call(project, '', { kind: 'sms', settings: { phone: project.phone } });
    assert.equal(sent.length, 2);

    const reply = await call(project, `${shown.id}/confirm`, { code });

    if (code !== lastCode()) assertError(reply, 400, WRONG);
  });

  test('a number gets five codes a day, whoever asks for them', async () => {
    const project = await given();
    for (let n = 0; n < 4; n += 1) await call(project, `${project.path}/confirmation`);
    assert.equal(sent.length, 5);

    const again = await call(project, `${project.path}/confirmation`);
    const stranger = await app().givenProject();
    const { phone } = project;
    const byOther = await call(stranger, '', { kind: 'call', settings: { phone } });
    const asked = await call(stranger, `${byOther.shown.id}/confirmation`);

    assert.equal(again.status, 429);
    // It is saved, and somebody can ask for a code tomorrow.
    assert.deepEqual([byOther.status, byOther.shown.verified, asked.status], [201, false, 429]);
    assert.equal(sent.length, 5);
    app().clock.advance({ days: 1 });
    assert.equal((await call(stranger, `${byOther.shown.id}/confirmation`)).status, 200);
  });

  test('an account sends twenty codes a day, over all its projects', async () => {
    const first = await given();
    const { ownerId } = first;
    const other = await app().givenProject({ ownerId });
    for (let n = 0; n < 25; n += 1)
      await call(n % 2 === 0 ? first : other, '', { kind: 'sms', settings: { phone: aNumber() } });

    assert.equal(sent.length, 20);
  });

  test('a provider that does not take the code is told, and the integration is saved', async () => {
    const project = await given();
    provider = failure('Received status code 400');

    const again = await call(project, `${project.path}/confirmation`);
    const made = await call(project, '', { kind: 'signal', settings: { recipient: aNumber() } });

    assertError(again, 424, 'The code could not be sent: Received status code 400');
    assert.deepEqual(
      [made.status, made.shown.verified, made.shown.last_error],
      [201, false, 'Received status code 400'],
    );
  });

  test('people confirm on the page, and learn why no code was sent though it was saved', async () => {
    sent = [];
    const { browser, path } = await givenTeam(app());
    const healthsOf = async () =>
      (await browser.get(`${path}/read/channelOverview`)).json.channels.map(
        ({ health }: { health: string }) => health,
      );
    provider = failure('Received status code 503');
    const made = await browser.post(`${path}/do/createChannel`, {
      kind: 'sms',
      settings: { phone: aNumber() },
    });
    assert.equal(made.status, 200, made.text);
    const reason = 'The code could not be sent: Received status code 503';
    assert.deepEqual([made.json.health, made.json.notAsked], ['unconfirmed', reason]);

    provider = OK;
    const channel = made.json.id;
    assert.equal((await browser.post(`${path}/do/askRecipient`, { channel })).status, 204);
    const confirm = (code: string) => browser.post(`${path}/do/confirmChannel`, { channel, code });
    const wrong = await confirm(wrongCode());
    const right = await confirm(lastCode());

    assert.deepEqual([wrong.status, wrong.json.field], [400, 'code']);
    assert.equal(right.status, 204);
    assert.deepEqual(await healthsOf(), ['delivering']);
  });

  test('strangers confirm nothing', async () => {
    const project = await given();
    const other = await app().givenProject();

    for (const act of ['confirm', 'confirmation']) {
      const body = { code: lastCode() };
      assert.equal((await call(other, `${project.path}/${act}`, body)).status, 403);
      assert.equal((await call({ key: project.readOnlyKey }, `${project.path}/${act}`, body)).status, 401);
    }
    assert.equal(sent.length, 1);
  });

  test('each kind that reaches strangers with an account of the operator is confirmed', () => {
    const kinds = describeKinds({ server: SERVER, hasMail: true });

    const confirmed = kinds.flatMap(({ kind, confirmedBy }) => (confirmedBy ? [[kind, confirmedBy]] : []));
    assert.deepEqual(confirmed.toSorted(), [
      ['call', 'code'],
      ['email', 'link'],
      ['matrix', 'code'],
      ['signal', 'code'],
      ['sms', 'code'],
      ['whatsapp', 'code'],
    ]);
  });
});
