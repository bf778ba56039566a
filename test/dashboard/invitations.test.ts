import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PROJECT_INVITATIONS } from '../../src/domain/people/invitation.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { noteMail } from '../../src/services/people/address-proof.ts';
import { pruneAccountData } from '../../src/services/people/pruning.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { invitationRecord, unique } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';
import {
  actsIn,
  givenMember,
  givenPerson,
  givenTeam,
  join,
  type MailedInvitation,
  mailedInvitations,
  type Person,
  signedIn,
  tokenIn,
} from './team.ts';

const PASSWORD = 'a horse of good temper';
const INVALID = { error: 'The link is incorrect or has expired.', code: 'invalid_link' };

forOneEngine((engine) => {
  // Nobody can sign up by themselves.
  const signUp = { isOpen: false, domains: ['example.com'] };
  const app = sharedTestApp(engine, {}, {}, { signUp });
  const withoutMail = sharedTestApp(engine, {}, {}, { signUp, hasMail: false });

  const newEmail = () => `${unique()}@example.org`;

  async function inviteByMail(
    by: Browser,
    path: string,
    email: string,
    role = 'member',
  ): Promise<MailedInvitation> {
    const reply = await by.post(`${path}/do/invite`, { email, role });
    assert.equal(reply.status, 200, reply.text);
    const [mail = assert.fail('no invitation was mailed'), ...others] = await mailedInvitations(app());
    assert.deepEqual(others, []);
    assert.equal(mail.to, email);
    return mail;
  }

  async function inviteByLink(by: Browser, path: string, role = 'member'): Promise<string> {
    const reply = await by.post(`${path}/do/invite`, { role });
    assert.equal(reply.status, 200, reply.text);
    return tokenIn(reply.json.link) ?? assert.fail();
  }

  async function rolesIn({ id }: Project): Promise<(readonly [string, string])[]> {
    const team = await app().deps.store.projects.teamOf(id);
    return team.map(({ email, role }) => [email, role] as const).slice(1);
  }

  test('people see the invitations to their address, and join or decline without the mail', async () => {
    const { account: owner, browser, project, path } = await givenTeam(app());
    const other = await givenTeam(app());
    const bob = await givenPerson(app());
    const { email } = bob.account;
    await inviteByMail(browser, path, email, 'read_only');
    await inviteByMail(other.browser, other.path, email);
    await inviteByMail(browser, path, newEmail());

    const invitations = (await bob.browser.get('/read/ownInvitations')).json;
    assert.equal(invitations.length, 2);
    const [first, second] = invitations;
    assert.deepEqual(first, {
      uuid: first.uuid,
      role: 'read_only',
      invitedBy: owner.email,
      expires: '2024-03-08T12:00:00+00:00',
      project: project.name,
    });

    const joined = await bob.browser.post('/do/acceptOwnInvitation', { invitation: first.uuid });
    assert.equal(joined.status, 204);
    assert.equal(
      (await bob.browser.post('/do/declineOwnInvitation', { invitation: second.uuid })).status,
      204,
    );

    assert.deepEqual((await bob.browser.get('/read/ownInvitations')).json, []);
    assert.deepEqual(await rolesIn(project), [[email, 'read_only']]);
    assert.deepEqual(await rolesIn(other.project), []);
    assert.equal((await bob.browser.post('/do/acceptOwnInvitation', { invitation: first.uuid })).status, 404);
    const acts = (await actsIn(app(), other.project)).map(({ action }) => action);
    assert.deepEqual(acts, ['invitation.made', 'invitation.declined']);
  });

  test('nobody joins by an invitation to another address, one that is over, or of somebody who may not invite', async () => {
    const { browser, project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    const bob = await givenPerson(app());
    await inviteByMail(browser, path, newEmail());
    await inviteByMail(manager.browser, path, bob.account.email);
    const all = (await browser.get(`${path}/read/projectInvitations`)).json;
    for (const { uuid, email } of all) {
      if (email !== bob.account.email)
        assert.equal((await bob.browser.post('/do/acceptOwnInvitation', { invitation: uuid })).status, 404);
    }
    const [{ uuid }] = (await bob.browser.get('/read/ownInvitations')).json;
    const member = manager.account.uuid;

    assert.equal((await browser.post(`${path}/do/removeMember`, { member })).status, 204);
    assert.deepEqual((await bob.browser.get('/read/ownInvitations')).json, []);
    assert.equal((await bob.browser.post('/do/acceptOwnInvitation', { invitation: uuid })).status, 404);

    await inviteByMail(browser, path, bob.account.email);
    app().clock.advance({ days: 7 });
    const back = await signedIn(app(), bob.account);
    assert.deepEqual((await back.browser.get('/read/ownInvitations')).json, []);
  });

  test('where no mail proves an address, only the link of an invitation counts', async () => {
    const { project } = await givenTeam(withoutMail());
    const bob = await givenPerson(withoutMail());
    const record = invitationRecord(project.id, { email: bob.account.email, expiresAt: 8e15 });
    await withoutMail().deps.store.transaction((tx) => tx.invitations.insert(record));

    assert.deepEqual((await bob.browser.get('/read/ownInvitations')).json, []);
    assert.equal(
      (await bob.browser.post('/do/acceptOwnInvitation', { invitation: record.uuid })).status,
      404,
    );
  });

  test('an address that was taken while there was no mail server is not trusted when there is one', async () => {
    const { deps, clock } = app();
    const { browser, path } = await givenTeam(app());
    const newPerson = async () => signedIn(app(), await givenAccount(app(), { createdAt: clock.now() }));
    const early = await newPerson();
    await inviteByMail(browser, path, early.account.email);
    const seen = async ({ browser: own }: Person) => (await own.get('/read/ownInvitations')).json.length;
    const invitations = (await early.browser.get('/read/ownInvitations')).json;
    try {
      await noteMail(deps, false);
      assert.equal(await seen(early), 0, 'a node without mail runs');
      clock.advance({ seconds: 1 });
      await noteMail(deps, true);
      await noteMail(deps, true);
      const late = await newPerson();
      await inviteByMail(browser, path, late.account.email);

      assert.deepEqual([await seen(early), await seen(late)], [0, 1]);
      assert.equal(
        (await early.browser.post('/do/acceptOwnInvitation', { invitation: invitations[0].uuid })).status,
        404,
      );
    } finally {
      await deps.store.transaction((tx) => tx.instance.delete('addresses_proved_since'));
    }
    assert.equal(await seen(early), 1, 'there always was mail');
  });

  test('a mail invites a new address, whose owner makes an account and is in the team', async () => {
    const { account: owner, browser, project, path } = await givenTeam(app());
    const email = newEmail();

    const made = await browser.post(`${path}/do/invite`, { email: ` ${email.toUpperCase()} ` });

    assert.equal(made.status, 200);
    assert.deepEqual(made.json, { email, link: null });
    const expires = '2024-03-08T12:00:00+00:00';
    const [{ uuid: _, ...shown }, ...more] = (await browser.get(`${path}/read/projectInvitations`)).json;
    assert.deepEqual(shown, { email, role: 'member', invitedBy: owner.email, expires });
    assert.deepEqual(more, []);
    const [mail = assert.fail(), ...others] = await mailedInvitations(app());
    assert.deepEqual(others, []);
    assert.equal(mail.to, email);
    assert.equal(mail.subject, 'You have been invited to a project on Tocsin');
    const bob = newBrowser(app());
    const { token } = mail;
    assert.deepEqual((await bob.post('/read/invitationOffer', { token })).json, {
      project: project.name,
      role: 'member',
      invitedBy: owner.email,
      expires,
      forEmail: email,
      provenEmail: email,
      hasAccount: false,
    });
    const reply = await bob.post('/do/joinWithNewAccount', { token, name: 'Bob', tz: 'Europe/Riga' });
    assert.deepEqual(reply.json, { isMailed: false });
    const { projects } = (await bob.get('/read/ownProjects')).json;
    assert.deepEqual(
      projects.map(({ uuid, role }: { uuid: string; role: string }) => ({ uuid, role })),
      [{ uuid: project.uuid, role: 'member' }],
    );
    const account = (await app().deps.store.accounts.byEmail(email)) ?? assert.fail();
    assert.deepEqual([account.name, account.passwordHash], ['Bob', null]);
    assert.deepEqual((await browser.get(`${path}/read/projectInvitations`)).json, []);
    assert.deepEqual(await actsIn(app(), project), [
      { action: 'invitation.made', details: { after: { role: 'member' } } },
      { action: 'member.joined', details: { after: { role: 'member' }, invited_by: owner.email } },
    ]);
  });

  test('an invitation works once, whichever way it is used', async () => {
    const { browser, project, path } = await givenTeam(app());
    const link = () => inviteByLink(browser, path);
    const accept = async (token: string) =>
      (await givenPerson(app())).browser.post('/do/acceptInvitation', { token });
    const decline = (token: string) => newBrowser(app()).post('/do/declineInvitation', { token });
    for (const use of [accept, decline]) {
      const token = await link();
      assert.ok((await use(token)).status < 300);
      for (const again of [
        await accept(token),
        await decline(token),
        await newBrowser(app()).post('/read/invitationOffer', { token }),
        await newBrowser(app()).post('/do/joinWithNewAccount', {
          token,
          email: newEmail(),
          password: PASSWORD,
        }),
      ]) {
        assert.equal(again.status, 403);
        assert.deepEqual(again.json, INVALID);
      }
    }

    const token = await link();
    const people = await Promise.all([1, 2, 3].map(() => givenPerson(app())));
    const replies = await Promise.all(
      people.map((one) => one.browser.post('/do/acceptInvitation', { token })),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 403, 403]);
    assert.equal((await rolesIn(project)).length, 2);
  });

  test('a link without an address is for whoever has it', async () => {
    const { account: owner, browser, project, path } = await givenTeam(app());
    const token = await inviteByLink(browser, path, 'manager');
    assert.deepEqual(await mailedInvitations(app()), []);
    const bob = await givenPerson(app());

    const look = (await bob.browser.post('/read/invitationOffer', { token })).json;
    const reply = await bob.browser.post('/do/acceptInvitation', { token });

    assert.deepEqual(
      [look.forEmail, look.provenEmail, look.hasAccount, look.invitedBy],
      [null, null, null, owner.email],
    );
    assert.equal(reply.status, 204);
    assert.deepEqual(await rolesIn(project), [[bob.account.email, 'manager']]);
  });

  test('an invitation for an address is accepted by the account with this address alone', async () => {
    const { browser, project, path } = await givenTeam(app());
    const bob = await givenPerson(app());
    const { token } = await inviteByMail(browser, path, bob.account.email, 'read_only');
    const eve = await givenPerson(app());

    const refused = await eve.browser.post('/do/acceptInvitation', { token });

    assert.equal(refused.status, 409);
    assert.deepEqual(refused.json, {
      error: `The invitation is for ${bob.account.email}. You are signed in as ${eve.account.email}.`,
      code: 'other_address',
    });
    assert.equal((await bob.browser.post('/read/invitationOffer', { token })).json.hasAccount, true);
    const taken = await newBrowser(app()).post('/do/joinWithNewAccount', { token, password: PASSWORD });
    assert.deepEqual([taken.status, taken.json.code], [409, 'email_taken']);
    assert.equal((await bob.browser.post('/do/acceptInvitation', { token })).status, 204);
    assert.deepEqual(await rolesIn(project), [[bob.account.email, 'read_only']]);
  });

  test('whoever declines ends the invitation, and the project is told', async () => {
    const { browser, project, path } = await givenTeam(app());
    const { token } = await inviteByMail(browser, path, newEmail());

    assert.equal((await newBrowser(app()).post('/do/declineInvitation', { token })).status, 204);

    assert.deepEqual((await browser.get(`${path}/read/projectInvitations`)).json, []);
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action }) => action),
      ['invitation.made', 'invitation.declined'],
    );
  });

  test('a member or the owner cannot be invited', async () => {
    const { account: owner, browser, project, path } = await givenTeam(app());
    const { account: member } = await givenMember(app(), project, 'read_only');
    for (const { email } of [owner, member]) {
      const reply = await browser.post(`${path}/do/invite`, { email });

      assert.equal(reply.status, 409);
      assert.deepEqual(reply.json, {
        error: `${email} is already a member`,
        code: 'already_member',
        field: 'email',
      });
    }
    assert.deepEqual(await mailedInvitations(app()), []);
  });

  test('somebody who is a member already cannot use a link', async () => {
    const { browser, project, path } = await givenTeam(app());
    const member = await givenMember(app(), project, 'read_only');
    const token = await inviteByLink(browser, path, 'manager');

    for (const by of [member.browser, browser]) {
      const reply = await by.post('/do/acceptInvitation', { token });
      assert.deepEqual([reply.status, reply.json.code], [409, 'already_member']);
    }
    assert.deepEqual(await rolesIn(project), [[member.account.email, 'read_only']]);
    // It is left for somebody else.
    assert.equal((await newBrowser(app()).post('/read/invitationOffer', { token })).status, 200);
  });

  test('an invitation is open for seven days, and then pruned', async () => {
    const { browser, project, path } = await givenTeam(app());
    const [link, other] = [await inviteByLink(browser, path), await inviteByLink(browser, path)];
    const look = async (token: string) =>
      (await newBrowser(app()).post('/read/invitationOffer', { token })).status;

    app().clock.advance({ hours: 7 * 24 - 1 });
    assert.deepEqual([await look(link), await look(other)], [200, 200]);
    app().clock.advance({ hours: 1 });
    assert.deepEqual([await look(link), await look(other)], [403, 403]);
    assert.equal((await app().deps.store.invitations.ofProject(project.id, 0)).length, 2);
    while (await pruneAccountData(app().node.accounts));
    assert.deepEqual(await app().deps.store.invitations.ofProject(project.id, 0), []);
  });

  test('an invitation that is sent again gets another link and more time', async () => {
    const { browser, project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    const email = newEmail();
    const first = await inviteByMail(browser, path, email);
    const [{ uuid }] = (await browser.get(`${path}/read/projectInvitations`)).json;
    app().clock.advance({ hours: 24 });

    const renewed = await manager.browser.post(`${path}/do/renewInvitation`, { invitation: uuid });

    assert.equal(renewed.status, 200);
    assert.deepEqual(renewed.json, { email, link: null });
    const [shown] = (await manager.browser.get(`${path}/read/projectInvitations`)).json;
    assert.deepEqual(
      [shown.uuid, shown.expires, shown.invitedBy],
      [uuid, '2024-03-09T12:00:00+00:00', manager.account.email],
    );
    const [second] = await mailedInvitations(app());
    assert.equal(second?.to, email);
    const look = (token: string | undefined) => newBrowser(app()).post('/read/invitationOffer', { token });
    assert.equal((await look(first.token)).status, 403);
    assert.equal((await look(second?.token)).status, 200);

    const token = await inviteByLink(browser, path);
    const link = (await browser.get(`${path}/read/projectInvitations`)).json.at(-1);
    const another = await browser.post(`${path}/do/renewInvitation`, { invitation: link.uuid });
    assert.equal((await look(token)).status, 403);
    assert.equal((await look(tokenIn(another.json.link) ?? '')).status, 200);
  });

  test('a new invitation of an address makes the one before void', async () => {
    const { browser, path } = await givenTeam(app());
    const email = newEmail();
    const first = await inviteByMail(browser, path, email, 'manager');
    const second = await inviteByMail(browser, path, email, 'read_only');

    const look = (token: string) => newBrowser(app()).post('/read/invitationOffer', { token });
    assert.equal((await look(first.token)).status, 403);
    assert.equal((await look(second.token)).json.role, 'read_only');
    assert.equal((await browser.get(`${path}/read/projectInvitations`)).json.length, 1);
  });

  test('an invitation that was revoked is neither sent nor accepted', async () => {
    const { browser, project, path } = await givenTeam(app());
    const bob = await givenPerson(app());
    const made = await browser.post(`${path}/do/invite`, { email: bob.account.email });
    const token = await inviteByLink(browser, path);
    const invitations = (await browser.get(`${path}/read/projectInvitations`)).json;
    for (const { uuid } of invitations)
      assert.equal((await browser.post(`${path}/do/revokeInvitation`, { invitation: uuid })).status, 204);

    assert.equal(made.status, 200);
    assert.deepEqual(await mailedInvitations(app()), []);
    assert.deepEqual((await bob.browser.post('/do/acceptInvitation', { token })).json, INVALID);
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action }) => action),
      ['invitation.made', 'invitation.made', 'invitation.revoked', 'invitation.revoked'],
    );
    for (const reply of [
      await browser.post(`${path}/do/revokeInvitation`, { invitation: invitations[0].uuid }),
      await browser.post(`${path}/do/renewInvitation`, { invitation: invitations[0].uuid }),
    ])
      assert.deepEqual([reply.status, reply.json.code], [404, 'invitation_not_found']);
  });

  test('a manager who was removed cannot come back by a link that they made before', async () => {
    const { browser, project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    const token = await inviteByLink(manager.browser, path, 'manager');
    const mailed = newEmail();
    assert.equal((await manager.browser.post(`${path}/do/invite`, { email: mailed })).status, 200);
    assert.equal((await newBrowser(app()).post('/read/invitationOffer', { token })).status, 200);

    await browser.post(`${path}/do/removeMember`, { member: manager.account.uuid });

    assert.deepEqual((await manager.browser.post('/do/acceptInvitation', { token })).json, INVALID);
    assert.deepEqual(await mailedInvitations(app()), []);
    assert.deepEqual((await browser.get(`${path}/read/projectInvitations`)).json, []);
    await join(app(), project, manager.account, 'member');
    assert.equal((await newBrowser(app()).post('/read/invitationOffer', { token })).status, 403);
  });

  test('an account that closes takes its invitations with it', async () => {
    const { project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    const token = await inviteByLink(manager.browser, path);

    const { email } = manager.account;
    assert.equal((await manager.browser.post('/do/closeAccount', { email })).status, 204);

    assert.equal((await newBrowser(app()).post('/read/invitationOffer', { token })).status, 403);
  });

  test('whoever may not manage the team can neither invite nor see invitations', async () => {
    const { browser, project, path } = await givenTeam(app());
    await inviteByLink(browser, path);
    const [{ uuid }] = (await browser.get(`${path}/read/projectInvitations`)).json;
    for (const role of ['read_only', 'member'] as const) {
      const { browser: other } = await givenMember(app(), project, role);
      for (const reply of [
        await other.get(`${path}/read/projectInvitations`),
        await other.post(`${path}/do/invite`, { email: newEmail() }),
        await other.post(`${path}/do/renewInvitation`, { invitation: uuid }),
        await other.post(`${path}/do/revokeInvitation`, { invitation: uuid }),
      ])
        assert.deepEqual([reply.status, reply.json.code], [403, 'permission_denied']);
    }
  });

  test('twenty invitations a day are enough for one person, and known people do not count', async () => {
    const { account: owner, browser, project, path } = await givenTeam(app());
    for (let n = 0; n < 20; n++) await inviteByLink(browser, path);

    const refused = await browser.post(`${path}/do/invite`, { email: newEmail() });

    assert.equal(refused.status, 429);
    assert.deepEqual(refused.json, {
      error: 'These are many invitations for one day. Please send the next ones later.',
      code: 'too_many_invitations',
    });
    assert.equal(Number(refused.headers['retry-after']) > 0, true);
    const other = await app().givenProject({ ownerId: owner.id });
    const known = await givenMember(app(), other.project, 'member');
    assert.equal((await browser.post(`${path}/do/invite`, { email: known.account.email })).status, 200);
    const manager = await givenMember(app(), project, 'manager');
    assert.equal((await manager.browser.post(`${path}/do/invite`)).status, 200);
    app().clock.advance({ hours: 24 });
    const again = (await signedIn(app(), owner)).browser;
    assert.equal((await again.post(`${path}/do/invite`)).status, 200);
  });

  test('one mailbox gets ten invitations a day, whoever sends them', async () => {
    const email = newEmail();
    const invite = async (n: number) => {
      const { browser, path } = await givenTeam(app());
      return browser.post(`${path}/do/invite`, { email: email.replace('@', `+${n}@`) });
    };
    for (let n = 0; n < 10; n++) assert.equal((await invite(n)).status, 200);

    assert.equal((await invite(10)).status, 429);
    await mailedInvitations(app());
  });

  test('a project has a limit of open invitations', async () => {
    const { browser, project, path } = await givenTeam(app());
    const expiresAt = app().clock.now() + 1_000_000;
    await app().deps.store.transaction(async (tx) => {
      for (let n = 0; n < MAX_PROJECT_INVITATIONS; n++)
        await tx.invitations.insert(invitationRecord(project.id, { expiresAt }));
    });

    const refused = await browser.post(`${path}/do/invite`);

    assert.deepEqual([refused.status, refused.json.code], [403, 'invitation_limit_reached']);
    app().clock.advance({ seconds: 1 });
    assert.equal((await browser.post(`${path}/do/invite`)).status, 200);
  });

  test('invitations of somebody who was removed take no room', async () => {
    const { browser, project, path } = await givenTeam(app());
    const { account: removed } = await givenPerson(app());
    const made = { invitedBy: removed.id, expiresAt: app().clock.now() + 1_000_000 };
    await app().deps.store.transaction(async (tx) => {
      for (let n = 0; n < MAX_PROJECT_INVITATIONS; n++)
        await tx.invitations.insert(invitationRecord(project.id, made));
    });

    assert.equal((await browser.post(`${path}/do/invite`)).status, 200);

    assert.equal((await app().deps.store.invitations.ofProject(project.id, 0)).length, 1);
  });

  test('a link proves no address, so one is mailed before an account is made', async () => {
    const { browser, project, path } = await givenTeam(app());
    const token = await inviteByLink(browser, path);
    const [email, taken] = [newEmail(), (await givenAccount(app())).email];
    const bob = newBrowser(app());
    const ask = (address: string) =>
      bob.post('/do/joinWithNewAccount', { token, email: address, password: PASSWORD, name: 'Bob' });

    for (const address of [email, taken]) {
      const asked = await ask(address);
      assert.deepEqual([asked.status, asked.json], [200, { isMailed: true }]);
    }

    assert.equal(await app().deps.store.accounts.byEmail(email), null);
    const mails = await mailedInvitations(app());
    assert.equal(mails.length, 2);
    // They are sent at the same time, in any order.
    const tokenFor = (address: string) => mails.find(({ to }) => to === address)?.token ?? assert.fail();
    const [proof, ofTaken] = [tokenFor(email), tokenFor(taken)];
    const look = (await bob.post('/read/invitationOffer', { token: proof })).json;
    assert.deepEqual([look.forEmail, look.provenEmail, look.hasAccount], [null, email, false]);
    assert.equal((await bob.post('/read/invitationOffer', { token: ofTaken })).json.hasAccount, true);
    // Another address than the one that it was mailed to is not proved by it.
    const reply = await bob.post('/do/joinWithNewAccount', { token: proof, email: newEmail(), name: 'Bob' });
    assert.deepEqual(reply.json, { isMailed: false });
    assert.equal((await bob.get('/read/signedIn')).json.account.email, email);
    assert.deepEqual(await rolesIn(project), [[email, 'member']]);
    for (const used of [token, proof, ofTaken])
      assert.equal((await newBrowser(app()).post('/read/invitationOffer', { token: used })).status, 403);
  });

  test('without an address a link makes no account', async () => {
    const { browser, path } = await givenTeam(app());
    const token = await inviteByLink(browser, path);

    const reply = await newBrowser(app()).post('/do/joinWithNewAccount', { token, password: PASSWORD });

    assert.deepEqual([reply.status, reply.json.field], [400, 'email']);
  });

  test('without a mail server a link is passed on, and makes an account with a password', async () => {
    const { browser, project, path } = await givenTeam(withoutMail());
    const email = newEmail();
    const refused = await browser.post(`${path}/do/invite`, { email });
    assert.deepEqual([refused.status, refused.json.code], [403, 'no_mail']);
    const made = (await browser.post(`${path}/do/invite`, { role: 'read_only' })).json;
    const token = tokenIn(made.link);
    assert.match(made.link, /^http:\/\/testserver\/accounts\/invitation\/#[\w-]{43}$/);
    const bob = newBrowser(withoutMail());

    const missing = await bob.post('/do/joinWithNewAccount', { token, email });
    const weak = await bob.post('/do/joinWithNewAccount', { token, email, password: '12345678' });
    const reply = await bob.post('/do/joinWithNewAccount', { token, email, password: PASSWORD });

    assert.deepEqual([missing.status, missing.json.field], [400, 'password']);
    assert.deepEqual([weak.status, weak.json.code], [400, 'weak_password']);
    assert.deepEqual(reply.json, { isMailed: false });
    assert.equal((await bob.get(`${path}/read/project`)).json.role, 'read_only');
    assert.equal((await newBrowser(withoutMail()).signIn(email, PASSWORD)).status, 204);
    assert.equal((await withoutMail().deps.store.projects.teamOf(project.id)).length, 2);
  });

  test('neither the table nor the outbox has the secret of a link in clear', async () => {
    const { browser, path } = await givenTeam(app());
    const { token } = await inviteByMail(browser, path, newEmail());
    const link = await inviteByLink(browser, path);
    await using driver = await openTestDriver(app().database);

    const stored = JSON.stringify([
      await driver.all('select * from invitations'),
      await driver.all('select * from mails'),
      await driver.all('select * from audit_log'),
    ]);

    assert.ok(!stored.includes(token) && !stored.includes(link));
  });
});
