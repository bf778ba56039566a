import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, NewAccount } from '../../src/domain/people/account.ts';
import type { MemberRole } from '../../src/domain/people/permission.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { parseProvisionFile } from '../../src/provision/parse.ts';
import { createCheck, deleteCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { operatorOn } from '../../src/services/people/account-actor.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { acceptProject } from '../../src/services/people/transfers.ts';
import { provision } from '../../src/services/provisioning/provision.ts';
import type { Store, Writes } from '../../src/storage/store.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { someoneWaits } from '../postgres-locks.ts';
import { ALPHA_OF_A_FILE } from '../records.ts';
import { until } from '../waiting.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';

const LIMITS = { checks: 10, pings: 100 };

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { hasMail: true });

  async function signedIn({ email }: Account): Promise<Browser> {
    const browser = newBrowser(app());
    await browser.signIn(email);
    return browser;
  }

  const addMember = ({ id }: Project, account: Account, role: MemberRole) =>
    app().deps.store.transaction((tx) => tx.projects.addMember(id, account.id, role, 1));

  /** A project with two checks, and a member who may only read. */
  async function given(candidate: Partial<NewAccount> = {}) {
    const owner = await givenAccount(app(), { limits: LIMITS });
    const member = await givenAccount(app(), { limits: LIMITS, ...candidate });
    const { project } = await app().givenProject({ ownerId: owner.id });
    await addMember(project, member, 'read_only');
    const checks = [await app().givenCheck(project), await app().givenCheck(project)];
    return { owner, member, project, checks, path: `/projects/${project.uuid}`, target: project.uuid };
  }

  const counts = (...accounts: readonly Account[]) =>
    Promise.all(accounts.map(({ id }) => app().deps.store.accounts.checkCount(id)));

  const actsOf = async ({ id }: Account) =>
    (await app().deps.store.auditLog.ofAccount(id, 1e9, 10)).filter(({ action }) =>
      action.startsWith('project'),
    );

  const offersIn = async (browser: Browser) =>
    (await browser.get('/read/ownProjects')).json.projects.map((one: { offer: unknown }) => one.offer);

  test('a member to whom the owner offers the project is told, accepts, and owns it', async () => {
    const { owner, member, project, path, target } = await given();
    const [giver, taker] = [await signedIn(owner), await signedIn(member)];

    const offered = await giver.post(`${path}/do/offerProject`, { member: member.uuid });

    assert.equal(offered.status, 204);
    assert.equal((await giver.get(`${path}/read/project`)).json.offer.to, member.email);
    assert.deepEqual(await offersIn(giver), [{ to: member.email, isYours: false }]);
    assert.deepEqual(await offersIn(taker), [{ to: member.email, isYours: true }]);
    const mail = new FakeMailSender();
    await post(app(), mail);
    const [sent] = mail.sent.filter(({ to }) => to === member.email).slice(-1);
    assert.equal(sent?.subject, 'Will you take over "Alpha"?');
    assert.match(sent?.text ?? '', new RegExp(`^${owner.email} would like`, 'm'));

    const accepted = await taker.post('/do/acceptProject', { target });

    assert.equal(accepted.status, 204);
    assert.equal((await taker.get(`${path}/read/project`)).json.role, 'owner');
    assert.equal((await giver.get(`${path}/read/project`)).json.role, 'member');
    assert.deepEqual(await offersIn(giver), [null]);
    assert.deepEqual(await counts(owner, member), [0, 2]);
    const [act] = await actsOf(member);
    assert.deepEqual([act?.action, act?.projectId], ['project.transferred', project.id]);
    assert.deepEqual(act?.details, { before: { owner: owner.email }, after: { owner: member.email } });
    assert.deepEqual(
      (await actsOf(owner)).map(({ action, details }) => [action, details]),
      [['project.offered', { to: member.email }]],
    );
    assert.equal((await taker.post('/do/acceptProject', { target })).json.code, 'offer_not_found');
    assert.equal(
      (await giver.post(`${path}/do/offerProject`, { member: member.uuid })).json.code,
      'permission_denied',
    );
  });

  test('only the owner offers a project, after a recent proof, and only to a member', async () => {
    const { owner, member, path } = await given();
    const stranger = await givenAccount(app());
    const browser = await signedIn(owner);

    for (const account of [stranger.uuid, owner.uuid, crypto.randomUUID()])
      assert.equal(
        (await browser.post(`${path}/do/offerProject`, { member: account })).json.code,
        'member_not_found',
      );
    const forged = await (await signedIn(member)).post(`${path}/do/offerProject`, { member: member.uuid });
    assert.equal(forged.json.code, 'permission_denied');
    app().clock.advance({ minutes: 31 });
    const unproven = await browser.post(`${path}/do/offerProject`, { member: member.uuid });
    assert.equal(unproven.json.code, 'confirmation_required');
    assert.deepEqual(await offersIn(browser), [null]);
  });

  test('the projects of an account are offered so many times a day together, and those of others as often', async () => {
    const { owner, member, path } = await given();
    const { project: second } = await app().givenProject({ ownerId: owner.id });
    await addMember(second, member, 'read_only');
    const others = await given();
    const browser = await signedIn(owner);
    const paths = [path, `/projects/${second.uuid}`];
    const offer = (to: string) => browser.post(`${to}/do/offerProject`, { member: member.uuid });
    for (let n = 0; n < ATTEMPT_RULES.offersPerOwner.maxAttempts; n++)
      assert.equal((await offer(paths[n % 2] ?? '')).status, 204);

    assert.deepEqual(await Promise.all(paths.map(async (to) => (await offer(to)).status)), [429, 429]);

    const elsewhere = await signedIn(others.owner);
    const reply = await elsewhere.post(`${others.path}/do/offerProject`, { member: others.member.uuid });
    assert.equal(reply.status, 204);
  });

  test('nobody but the member to whom it is offered can accept or decline', async () => {
    const { owner, member, project, path, target } = await given();
    const other = await givenAccount(app());
    await addMember(project, other, 'manager');
    await (await signedIn(owner)).post(`${path}/do/offerProject`, { member: member.uuid });
    const stranger = await givenAccount(app());

    for (const account of [other, stranger, owner]) {
      const browser = await signedIn(account);
      for (const answer of ['acceptProject', 'declineProject']) {
        const { status, json } = await browser.post(`/do/${answer}`, { target });
        assert.deepEqual([status, json.code], [404, 'offer_not_found']);
      }
    }
  });

  test('a member whose limit leaves no room for the checks is told the numbers', async () => {
    const { owner, member, path, target } = await given({ limits: { checks: 2, pings: 100 } });
    const { project: own } = await app().givenProject({ ownerId: member.id });
    const check = await app().givenCheck(own);
    await (await signedIn(owner)).post(`${path}/do/offerProject`, { member: member.uuid });
    const browser = await signedIn(member);

    const refused = await browser.post('/do/acceptProject', { target });

    assert.deepEqual(
      [refused.status, refused.json.code, refused.json.error],
      [409, 'check_quota_too_small', 'The project has 2 checks, and your account has room for 1 more.'],
    );
    assert.equal((await browser.get('/read/ownProjects')).json.freeChecks, 1);
    assert.deepEqual(await counts(owner, member), [2, 1]);
    await deleteCheck(app().deps, systemActor(own.id), check.id);
    assert.equal((await browser.post('/do/acceptProject', { target })).status, 204);
    assert.deepEqual(await counts(owner, member), [0, 2]);
  });

  test('an offer ends when it is declined, withdrawn, replaced, or its project or membership ends', async () => {
    const { owner, member, project, path, target } = await given();
    const other = await givenAccount(app());
    await addMember(project, other, 'member');
    const [giver, taker] = [await signedIn(owner), await signedIn(member)];
    const offer = ({ uuid }: Account) => giver.post(`${path}/do/offerProject`, { member: uuid });
    const { store } = app().deps;
    const endings: Record<string, () => Promise<unknown>> = {
      declined: () => taker.post('/do/declineProject', { target }),
      withdrawn: () => giver.post(`${path}/do/withdrawOffer`),
      replaced: () => offer(other),
      removed: async () => {
        await store.transaction((tx) => tx.projects.removeMember(project.id, member.id));
        await addMember(project, member, 'member');
      },
      deleted: async () => {
        assert.equal((await giver.post(`${path}/do/deleteProject`, { name: 'Alpha' })).status, 204);
        await giver.post('/do/restoreProject', { target });
      },
    };

    for (const [how, end] of Object.entries(endings)) {
      await offer(member);
      assert.deepEqual(await offersIn(taker), [{ to: member.email, isYours: true }]);
      await end();
      assert.equal((await taker.post('/do/acceptProject', { target })).status, 404, how);
      if (how !== 'replaced') assert.deepEqual(await offersIn(giver), [null], how);
    }
    const acts = (await actsOf(owner)).map(({ action }) => action);
    assert.ok(acts.includes('project.offer_withdrawn'));
    assert.equal((await actsOf(member))[0]?.action, 'project.offer_declined');
    const mail = new FakeMailSender();
    await post(app(), mail);
    assert.deepEqual(
      mail.sent.filter(({ to }) => to === member.email),
      [],
      'no mail tells of an offer that has ended',
    );
  });

  test('a project that a file declares keeps the owner that the file names', async () => {
    const { owner, member, project, path } = await given();
    await app().deps.store.transaction((tx) =>
      tx.declarations.declare('project', owner.id, project.id, ALPHA_OF_A_FILE),
    );

    const reply = await (await signedIn(owner)).post(`${path}/do/offerProject`, { member: member.uuid });

    assert.deepEqual([reply.status, reply.json.code], [409, 'project_declared']);
  });

  test('an offer that is older than the file ends once the file names the owner', async () => {
    const { owner, member, project, path, target } = await given();
    assert.equal(
      (await (await signedIn(owner)).post(`${path}/do/offerProject`, { member: member.uuid })).status,
      204,
    );
    const key = app().deps.random.uuid().replaceAll('-', '').slice(0, 28);
    const file = `projects: [{ name: ${project.name}, owner: ${owner.email}, keys: { read_write: hcw_${key} } }]`;
    const apply = () => provision(app().deps, parseProvisionFile('tocsin.yaml', file));
    await apply();

    assert.equal((await (await signedIn(member)).post('/do/acceptProject', { target })).status, 404);

    assert.deepEqual(await apply(), [], 'the service starts with the same file');
    const page = { after: null, from: null, before: null, most: 100 };
    const acts = await app().deps.store.auditLog.page({ projectId: project.id }, page);
    const ended = acts.filter(({ action }) => action === 'project.offer_withdrawn');
    assert.deepEqual(
      ended.map(({ means }) => means),
      ['file'],
    );
  });

  test('nobody accepts a project that a file declares, but they may decline it', async () => {
    const { owner, member, project, target } = await given();
    const taker = await signedIn(member);
    await app().deps.store.transaction(async (tx) => {
      await tx.transfers.save({ projectId: project.id, accountId: member.id, createdAt: 1 });
      await tx.declarations.declare('project', owner.id, project.id, ALPHA_OF_A_FILE);
    });

    const reply = await taker.post('/do/acceptProject', { target });

    assert.deepEqual([reply.status, reply.json.code], [409, 'project_declared']);
    assert.equal((await app().deps.store.projects.byId(project.id))?.ownerId, owner.id);
    assert.equal((await taker.post('/do/declineProject', { target })).status, 204);
  });

  test('a project that its owner has just handed over is not what the file means', async () => {
    const { owner, member, project } = await given();
    const { deps } = app();
    const file = parseProvisionFile(
      'tocsin.yaml',
      `projects: [{ name: ${project.name}, owner: ${owner.email} }]`,
    );
    const transaction: Store['transaction'] = (work, options) =>
      deps.store.transaction((tx: Writes) => {
        const find = tx.projects.byOwnerAndName.bind(tx.projects);
        const byOwnerAndName = async (ownerId: number, name: string) => {
          const found = await find(ownerId, name);
          // Another node may do this between reading and locking.
          await tx.projects.setOwner(project.id, member.id);
          return found;
        };
        return work({ ...tx, projects: Object.assign(tx.projects, { byOwnerAndName }) });
      }, options);

    const [change] = await provision({ ...deps, store: { ...deps.store, transaction } }, file);

    assert.equal(change?.action, 'created');
    assert.equal(await deps.store.transaction((tx) => tx.projects.isDeclared(project.id)), false);
  });

  /** The store. `meanwhile` is begun once the transaction has locked the owner, and waits for its end. */
  function holding(meanwhile: () => Promise<unknown>): { store: Store; ended: () => Promise<unknown> } {
    let started: Promise<unknown> | null = null;
    const transaction: Store['transaction'] = (work, options) =>
      app().deps.store.transaction((tx: Writes) => {
        const hold = tx.projects.lockOwner.bind(tx.projects);
        const lockOwner = async (id: number) => {
          const ownerId = await hold(id);
          started ??= meanwhile();
          if (engine === 'postgres') {
            await using driver = await openTestDriver(app().database);
            await until('the other transaction waits', () => someoneWaits(driver));
          }
          return ownerId;
        };
        return work({ ...tx, projects: Object.assign(tx.projects, { lockOwner }) });
      }, options);
    return {
      store: Object.assign(Object.create(app().deps.store), { transaction }),
      ended: async () => started,
    };
  }

  test('checks that come and go while a project changes hands are counted for one owner', async () => {
    const { owner, member, project, checks, path } = await given();
    const [giver, taker] = [await signedIn(owner), await signedIn(member)];
    const actor = systemActor(project.id);
    const { deps } = app();

    await giver.post(`${path}/do/offerProject`, { member: member.uuid });
    const creating = holding(() => acceptProject(deps, operatorOn(member), project.uuid));
    await createCheck({ ...deps, store: creating.store }, actor, { edit: {}, match: null });
    await creating.ended();
    assert.deepEqual(await counts(owner, member), [0, 3]);

    await taker.post(`${path}/do/offerProject`, { member: owner.uuid });
    const deleting = holding(() => acceptProject(deps, operatorOn(owner), project.uuid));
    await deleteCheck({ ...deps, store: deleting.store }, actor, checks[0]?.id ?? 0);
    await deleting.ended();
    assert.deepEqual(await counts(owner, member), [2, 0]);
  });

  test('of two who accept and delete at once, one is refused', async () => {
    const { owner, member, path, target } = await given();
    const [giver, taker] = [await signedIn(owner), await signedIn(member)];
    await giver.post(`${path}/do/offerProject`, { member: member.uuid });

    const [accepted, deleted] = await Promise.all([
      taker.post('/do/acceptProject', { target }),
      giver.post(`${path}/do/deleteProject`, { name: 'Alpha' }),
    ]);

    const wasAccepted = accepted.status === 204;
    assert.equal(wasAccepted ? deleted.status : accepted.status, wasAccepted ? 403 : 404);
    assert.deepEqual(await counts(owner, member), wasAccepted ? [0, 2] : [2, 0]);
  });

  test('an offer ends when the group is gone that made the person a member', async () => {
    const { owner, project, path, target } = await given();
    const candidate = await givenAccount(app(), { limits: LIMITS });
    const { store } = app().deps;
    await store.transaction((tx) =>
      tx.groupMembers.give(candidate.id, project.uuid, 'read_only', { maxMembers: 200, at: 1 }),
    );
    assert.equal(
      (await (await signedIn(owner)).post(`${path}/do/offerProject`, { member: candidate.uuid })).status,
      204,
    );

    await store.transaction((tx) => tx.groupMembers.take(candidate.id, project.id));

    const reply = await (await signedIn(candidate)).post('/do/acceptProject', { target });
    assert.equal(reply.status, 404);
    assert.equal((await store.projects.byId(project.id))?.ownerId, owner.id);
  });
});
