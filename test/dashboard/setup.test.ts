import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFirstProject } from '../../src/services/instance/first-start.ts';
import { offerSetup } from '../../src/services/sign-up/setup.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { startTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { storedChecks } from '../records.ts';
import { Browser, givenAccount } from './browser.ts';

const ALICE = { email: 'Alice@Example.org', password: 'a horse of good temper', name: ' Alice\n ' };

forOneEngine((engine) => {
  test('whoever opens the link becomes administrator and owns the first project with its keys', async () => {
    await using app = await startTestApp(engine);
    const first = (await makeFirstProject(app.deps, true)) ?? assert.fail();
    const token = await offerSetup(app.deps);
    const alice = new Browser(app);

    const reply = await alice.post('/do/completeSetup', { ...ALICE, token });

    assert.equal(reply.status, 204);
    const { account } = (await alice.get('/read/signedIn')).json;
    assert.deepEqual(
      { ...account, uuid: '' },
      { uuid: '', email: 'alice@example.org', name: 'Alice', isAdmin: true },
    );
    const stored = (await app.deps.store.accounts.byEmail('alice@example.org')) ?? assert.fail();
    const projects = await app.deps.store.projects.accessibleTo(stored.id);
    assert.deepEqual(
      projects.map(({ uuid }) => uuid),
      [first.uuid],
    );
    assert.equal(
      (await app.request('GET', '/api/v3/checks/', { key: first.keys?.readWrite ?? '' })).status,
      200,
    );
    assert.equal((await new Browser(app).signIn('alice@example.org', ALICE.password)).status, 204);
  });

  test('visitors are told that nobody administers the service, until somebody does', async () => {
    await using app = await startTestApp(engine);
    const isToldOf = async () => (await new Browser(app).get('/read/entrance')).json.needsSetup;
    await givenAccount(app);
    assert.equal(await isToldOf(), true);

    await new Browser(app).post('/do/completeSetup', { ...ALICE, token: await offerSetup(app.deps) });

    assert.equal(await isToldOf(), false);
  });

  test('the first administrator gets no notice of a new browser, however old the first project is', async () => {
    await using app = await startTestApp(engine);
    await makeFirstProject(app.deps, false);
    app.clock.advance({ days: 3 });
    const token = await offerSetup(app.deps);

    assert.equal((await new Browser(app).post('/do/completeSetup', { ...ALICE, token })).status, 204);

    const sender = new FakeMailSender();
    await post(app, sender);
    assert.deepEqual(sender.subjects(), []);
  });

  test('where a file has made the projects, the first administrator gets one of their own', async () => {
    await using app = await startTestApp(engine);
    await app.givenProject();
    const token = await offerSetup(app.deps);

    await new Browser(app).post('/do/completeSetup', { ...ALICE, token });

    const { id } = (await app.deps.store.accounts.byEmail('alice@example.org')) ?? assert.fail();
    const [project, ...others] = await app.deps.store.projects.accessibleTo(id);
    assert.deepEqual(others, []);
    const [check] = await storedChecks(app.deps.store, project ?? assert.fail());
    assert.equal(check?.slug, 'my-first-check');
    const [channel] = await app.deps.store.channels.ofProject(project?.id ?? 0);
    assert.equal(channel?.verified, true);
    assert.deepEqual(await app.deps.store.checks.channelsOf(check?.id ?? 0), [channel?.uuid]);
  });

  test('the link works once, and no other link after it', async () => {
    await using app = await startTestApp(engine);
    const [first, second] = [await offerSetup(app.deps), await offerSetup(app.deps)];
    assert.equal((await new Browser(app).post('/do/completeSetup', { ...ALICE, token: first })).status, 204);

    for (const token of [first, second, 'nonsense']) {
      const reply = await new Browser(app).post('/do/completeSetup', {
        ...ALICE,
        email: 'eve@example.org',
        token,
      });

      assert.equal(reply.status, 403);
      assert.deepEqual(reply.json, { error: 'The link is incorrect or has expired.', code: 'invalid_link' });
    }
    assert.equal(await offerSetup(app.deps), null);
    assert.equal(await app.deps.store.accounts.byEmail('eve@example.org'), null);
  });

  test('of two that open links at the same moment, one becomes administrator', async () => {
    await using app = await startTestApp(engine);
    const tokens = [await offerSetup(app.deps), await offerSetup(app.deps)];

    const replies = await Promise.all(
      tokens.map((token, n) =>
        new Browser(app).post('/do/completeSetup', { ...ALICE, email: `a${n}@example.org`, token }),
      ),
    );

    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 403]);
  });

  test('the link expires after a day', async () => {
    await using app = await startTestApp(engine);
    const token = await offerSetup(app.deps);

    app.clock.advance({ days: 1 });

    assert.equal((await new Browser(app).post('/do/completeSetup', { ...ALICE, token })).status, 403);
  });

  test('a weak password, a missing one and an address that is taken leave the link as it is', async () => {
    await using app = await startTestApp(engine);
    const { email } = await givenAccount(app);
    const token = await offerSetup(app.deps);
    const tries = [
      {
        body: { ...ALICE, token, password: 'password1' },
        status: 400,
        code: 'weak_password',
        field: 'password',
      },
      { body: { token, email: ALICE.email }, status: 400, code: 'invalid_field', field: 'password' },
      { body: { ...ALICE, token, email }, status: 409, code: 'email_taken', field: 'email' },
      { body: { ...ALICE, token, name: 'x'.repeat(101) }, status: 400, code: 'invalid_field', field: 'name' },
    ];
    for (const { body, status, code, field } of tries) {
      const reply = await new Browser(app).post('/do/completeSetup', body);

      assert.equal(reply.status, status);
      assert.deepEqual({ code: reply.json.code, field: reply.json.field }, { code, field });
    }

    assert.equal((await new Browser(app).post('/do/completeSetup', { ...ALICE, token })).status, 204);
  });
});
