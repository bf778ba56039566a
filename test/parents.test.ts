import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { circleOf, MAX_PARENTS } from '../src/domain/check/check-links.ts';
import { removeCheck, restoreCheck } from '../src/services/check/check-deletion.ts';
import { copyCheck, moveCheck, replaceAddress } from '../src/services/check/check-moves.ts';
import { pauseCheck } from '../src/services/check/checks.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { awaitedParents } from '../src/services/core/parents.ts';
import { drain, FakeSender, newNotifier } from './alerts.ts';
import { START, sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project with checks of these names, which are up, and a channel for all of them. */
  async function given(...slugs: readonly string[]) {
    const made = await app().givenProject();
    const channel = await app().givenChannel(made.project);
    const checks: Check[] = [];
    for (const slug of slugs) {
      const check = await app().givenCheck(made.project, {
        slug,
        name: slug,
        status: 'up',
        lastPingAt: START,
      });
      await app().assign(check, channel);
      checks.push(check);
    }
    return { ...made, channel, checks, edit: editor(app(), made.key) };
  }

  const actor = ({ projectId }: Check) => systemActor(projectId);

  /** Lets time pass as the loops see it, in steps of ten seconds. Returns what is sent. */
  const pass = async (seconds: number) => {
    const sender = new FakeSender();
    sender.needsStory = () => true;
    const notifier = newNotifier(app(), sender);
    for (let left = seconds; left > 0; left -= 10) {
      app().clock.advance({ seconds: Math.min(10, left) });
      await drain({ app: app(), notifier });
    }
    return sender.sent;
  };

  const told = async (...checks: readonly Check[]) =>
    (await Promise.all(checks.map(({ id }) => app().deps.store.deliveries.ofCheck(id, 100)))).map((rows) =>
      rows.map(({ status }) => status).toSorted(),
    );

  const held = async ({ id }: Check) => (await app().deps.store.outages.openOf([id]))[0]?.heldBy;

  suite('a check with a parent', () => {
    test('is held while the parent is down, and nobody is told of it', async () => {
      const { checks, edit } = await given('router', 'shop');
      const [router, shop] = both(checks);
      await edit(shop, { parents: ['router'] });

      await app().receive(router, 'fail');
      await app().receive(shop, 'fail');
      const sent = await pass(120);

      assert.deepEqual(await told(router, shop), [['down'], []]);
      assert.equal(await held(shop), 'parent');
      assert.deepEqual(
        sent.map(({ event }) => [event.check.name, event.others?.held]),
        [['router', 1]],
      );
    });

    test('that fails ten seconds before its parent is not told of, either', async () => {
      const { checks, edit } = await given('router', 'shop');
      const [router, shop] = both(checks);
      await edit(shop, { parents: ['router'] });

      await app().receive(shop, 'fail');
      await pass(10);
      await app().receive(router, 'fail');
      await pass(120);

      assert.deepEqual(await told(router, shop), [['down'], []]);
    });

    test('waits half a minute for parents that look well, and then is told', async () => {
      const { checks, edit } = await given('router', 'shop');
      const [, shop] = both(checks);
      await edit(shop, { parents: ['router'] });

      await app().receive(shop, 'fail');
      await pass(20);
      assert.deepEqual(await told(shop), [[]]);
      await pass(20);
      assert.deepEqual(await told(shop), [['down']]);
    });

    test('waits until the deadline of a parent that is late', async () => {
      const { project, checks, edit } = await given('router', 'shop');
      const [, shop] = both(checks);
      const late = await app().givenCheck(project, {
        slug: 'late',
        status: 'up',
        lastPingAt: START - 86_400_000_000 - 3_400_000_000,
      });
      await edit(shop, { parents: ['late'] });

      await app().receive(shop, 'fail');
      await pass(190);
      assert.deepEqual(await told(shop), [[]]);
      await pass(120);

      assert.equal(await held(shop), 'parent');
      assert.deepEqual(await told(shop), [[]]);
      assert.equal((await app().deps.store.checks.byId(late.id))?.status, 'down');
    });

    test('is told a minute after its parent is up, unless it came up, too', async () => {
      const { checks, edit } = await given('router', 'shop', 'mail');
      const [router, shop, mail] = checks as [Check, Check, Check];
      for (const child of [shop, mail]) await edit(child, { parents: ['router'] });
      for (const check of checks) await app().receive(check, 'fail');
      await pass(60);

      await app().receive(router, 'success');
      await pass(30);
      await app().receive(mail, 'success');
      await pass(20);
      assert.deepEqual(await told(shop, mail), [[], []]);
      await pass(20);

      assert.deepEqual(await told(shop, mail), [['down'], []]);
    });

    test('is held by the parent of its parent', async () => {
      const { checks, edit } = await given('power', 'router', 'shop');
      const [power, router, shop] = checks as [Check, Check, Check];
      await edit(router, { parents: ['power'] });
      await edit(shop, { parents: ['router'] });

      for (const check of [power, router, shop]) await app().receive(check, 'fail');
      await pass(120);

      assert.deepEqual(await told(power, router, shop), [['down'], [], []]);
    });

    for (const [what, release] of Object.entries({
      'is paused': ({ router }) => pauseCheck(app().deps, actor(router), router.id),
      'is deleted': ({ router }) => removeCheck(app().deps, actor(router), router.id, 'given'),
      'is its parent no longer': ({ shop, edit }) => edit(shop, { parents: [] }),
      'moves to another project': async ({ router, ownerId }) => {
        const other = await app().givenProject({ ownerId });
        await moveCheck(app().deps, actor(router), router.id, systemActor(other.project.id));
      },
    } satisfies Record<string, (of: Held) => Promise<unknown>>))
      test(`is told at once when the parent ${what}`, async () => {
        const { ownerId, checks, edit } = await given('router', 'shop');
        const [router, shop] = both(checks);
        await edit(shop, { parents: ['router'] });
        await app().receive(router, 'fail');
        await app().receive(shop, 'fail');
        await pass(60);
        assert.deepEqual(await told(shop), [[]]);

        await release({ router, shop, edit, ownerId });
        await drain({ app: app(), notifier: newNotifier(app(), new FakeSender()) });

        assert.deepEqual(await told(shop), [['down']]);
      });
  });

  test('a check that was deleted has no parents if one of them waits for it when it is restored', async () => {
    const { checks, edit } = await given('shop', 'router', 'line');
    const [shop, router] = both(checks);
    const line = checks[2] ?? assert.fail();
    await edit(shop, { parents: ['router'] });
    await edit(line, { parents: ['shop'] });
    await removeCheck(app().deps, actor(shop), shop.id, 'given');
    await edit(router, { parents: ['line'] });

    const { check } = await restoreCheck(app().deps, actor(shop), shop.uuid);

    assert.equal(check.parents, '');
    assert.deepEqual(await app().deps.store.checkParents.ofChecks([shop.id]), []);
    const links = await app().deps.store.checkParents.ofProject(shop.projectId);
    assert.equal(circleOf(router.id, [line.id], links), null);
  });

  test('a parent that cannot be evaluated is told as it is stored', async () => {
    const { checks, edit } = await given('router', 'shop');
    const [router, shop] = both(checks);
    await edit(shop, { parents: ['router'] });
    await app().deps.store.transaction((tx) =>
      tx.checks.saveConfig({ ...router, kind: 'cron', schedule: 'nonsense' }),
    );

    const found = await app().deps.store.checkParents.ofChecks([shop.id]);

    assert.deepEqual(
      awaitedParents(found, app().clock.now()).map(({ name, status }) => [name, status]),
      [['router', 'well']],
    );
  });

  test('a check that leaves its project, or is restored, names no integrations that are not there', async () => {
    const { project, checks, channel, edit } = await given('shop', 'router');
    const [shop, router] = both(checks);
    const chat = { kind: 'slack', name: 'Chat', settings: { url: 'https://hooks.example/a' } };
    const other = await app().givenChannel(project, chat);
    for (const check of [shop, router]) await edit(check, { done_channels: other.uuid });

    const target = await app().givenProject();
    const moved = await moveCheck(app().deps, actor(shop), shop.id, systemActor(target.project.id));
    await removeCheck(app().deps, actor(router), router.id, 'given');
    await app().deps.store.transaction((tx) => tx.channels.delete(other));
    const { check: restored } = await restoreCheck(app().deps, actor(router), router.uuid);

    const stored = await app().deps.store.checks.byIds([shop.id, router.id]);
    assert.deepEqual(
      [moved.check, restored, ...stored].map(({ doneChannels }) => doneChannels),
      ['', '', '', ''],
    );
    assert.deepEqual(await app().deps.store.checks.channelsOf(router.id), [channel.uuid]);
  });

  suite('the API', () => {
    test('takes slugs and UUIDs, and shows UUIDs to a read-write key, pseudonyms to others', async () => {
      const { key, readOnlyKey, checks, edit } = await given('router', 'power', 'shop');
      const [router, power, shop] = checks as [Check, Check, Check];

      const reply = await edit(shop, { parents: ['router', power.uuid] });
      const path = `/api/v3/checks/${shop.uuid}`;
      const uuids = [router.uuid, power.uuid].toSorted();

      for (const { json } of [reply, await app().request('GET', path, { key })])
        assert.deepEqual((json as { parents: string[] }).parents.toSorted(), uuids);
      const listed = await app().request('GET', '/api/v3/checks/', { key });
      assert.deepEqual(
        (listed.json as { checks: { parents?: string[] }[] }).checks.map(({ parents }) => parents?.length),
        [undefined, undefined, 2],
      );
      const pseudonym = await app().request('GET', `/api/v3/checks/${shop.uniqueKey}`, { key: readOnlyKey });
      assert.deepEqual(
        (pseudonym.json as { parents: string[] }).parents.toSorted(),
        [router.uniqueKey, power.uniqueKey].toSorted(),
      );
      const older = await app().request('GET', `/api/v2/checks/${shop.uuid}`, { key });
      assert.ok(!('parents' in (older.json as object)));
    });

    test('refuses circles with the way, more than ten, and checks that are not there or of others', async () => {
      const { checks, edit, key } = await given('router', 'switch', 'shop');
      const [router, between, shop] = checks as [Check, Check, Check];
      const foreign = (await given('foreign')).checks[0]?.uuid;
      await edit(between, { parents: ['router'] });
      await edit(shop, { parents: ['switch'] });
      const refused = async (parents: unknown, check = router) => {
        const { status, json } = await app().request('POST', `/api/v3/checks/${check.uuid}`, {
          key,
          body: { parents },
        });
        assert.equal(status, 400);
        return (json as { error: string }).error.replace('json validation error: ', '');
      };

      assert.equal(await refused(['shop']), 'parents is a circle: router → shop → switch → router');
      assert.equal(await refused(['router']), 'parents is a circle: router → router');
      assert.equal(await refused([foreign]), `invalid parent: ${foreign}`);
      assert.equal(await refused(['nothing']), 'invalid parent: nothing');
      assert.equal(
        await refused(Array.from({ length: MAX_PARENTS + 1 }, (_, n) => `n${n}`)),
        'parents has too many items',
      );
      assert.equal(await refused(7), 'parents is not an array');
      assert.match(await refused([7]), /an item in 'parents' is not a string/);
    });

    test('makes a check with parents, and keeps them when others are renamed or copied', async () => {
      const { key, project, checks } = await given('router');
      const [router] = checks as [Check];
      const made = await app().request('POST', '/api/v3/checks/', {
        key,
        body: { name: 'shop', parents: ['router'] },
      });
      const { uuid } = made.json as { uuid: string };
      const parentsOf = async (of: string) => {
        const { json } = await app().request('GET', `/api/v3/checks/${of}`, { key });
        return (json as { parents?: string[] }).parents;
      };
      assert.equal(made.status, 201);
      assert.deepEqual(await parentsOf(uuid), [router.uuid]);

      const { check } = await replaceAddress(app().deps, actor(router), router.id);
      const shop = await app().deps.store.checks.byUuid(uuid);
      const copied = await copyCheck(app().deps, actor(router), shop?.id ?? 0, systemActor(project.id));

      assert.deepEqual(await parentsOf(uuid), [check.uuid]);
      assert.deepEqual(await parentsOf(copied.check.uuid), [check.uuid]);
      assert.equal(shop?.parents, check.uniqueKey);
    });
  });
});

interface Held {
  readonly router: Check;
  readonly shop: Check;
  readonly ownerId: number;
  readonly edit: ReturnType<typeof editor>;
}

function editor(app: TestApp, key: string) {
  return async ({ uuid }: Check, body: object) => {
    const reply = await app.request('POST', `/api/v3/checks/${uuid}`, { key, body });
    assert.equal(reply.status, 200, reply.text);
    return reply;
  };
}

function both(checks: readonly Check[]): readonly [Check, Check] {
  const [one, two] = checks;
  return one === undefined || two === undefined ? assert.fail() : [one, two];
}
