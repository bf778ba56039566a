import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newMail } from '../../src/domain/alert/mail.ts';
import { THE_OPERATOR } from '../../src/services/people/account-actor.ts';
import { setActive } from '../../src/services/sign-up/administration.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenAccount } from './browser.ts';
import { givenMember, givenPerson, givenTeam, signedIn, tokenIn } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { hasMail: true });

  test('a link of a manager who was switched off is void', async () => {
    const { project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    const { link } = (await manager.browser.post(`${path}/do/invite`, { role: 'manager' })).json;
    await setActive(app().node.accounts, THE_OPERATOR, manager.account, false);
    const other = await givenPerson(app());

    const reply = await other.browser.post('/do/acceptInvitation', { token: tokenIn(link) });

    assert.equal(reply.json.code, 'invalid_link');
  });

  test('somebody who was switched off is told nothing more of the projects of others', async () => {
    const { project } = await givenTeam(app());
    await app().givenCheck(project);
    const people = [await givenMember(app(), project, 'member'), await givenMember(app(), project, 'member')];
    const [off, on] = people;
    if (off === undefined || on === undefined) return assert.fail();
    await setActive(app().node.accounts, THE_OPERATOR, off.account, false);
    const { clock, random, store } = app().deps;
    const at = clock.now();
    const report = { kind: 'report', parameters: { period: 'monthly', at } } as const;
    await store.transaction((tx) =>
      tx.mails.insertMany(people.map(({ account }) => newMail(account.id, report, random.uuid(), at))),
    );

    const mail = new FakeMailSender();
    await post(app(), mail);

    const addresses = mail.sent.map(({ to }) => to);
    assert.ok(addresses.includes(on.account.email));
    assert.ok(!addresses.includes(off.account.email));
  });

  test('the last administrator cannot close their account, one of two can', async () => {
    const admins = [
      await givenAccount(app(), { isAdmin: true }),
      await givenAccount(app(), { isAdmin: true }),
    ];
    const statuses: number[] = [];
    for (const account of admins) {
      const { browser } = await signedIn(app(), account);
      statuses.push((await browser.post('/do/closeAccount', { email: account.email })).status);
    }

    assert.deepEqual(statuses, [204, 409]);
  });
});
