import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { THE_OPERATOR } from '../../src/services/people/account-actor.ts';
import { replacePassword, setActive } from '../../src/services/sign-up/administration.ts';
import { SITE, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { until } from '../waiting.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';
import { givenMember, givenTeam, signedIn } from './team.ts';

const NEW_PASSWORD = 'a horse of good temper';

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { hasMail: true });

  /** Sends the head of a request, and the body when the returned function is called. By then the caller was judged. */
  async function begin(path: string, headers: Readonly<Record<string, string>>, remoteAddress: string) {
    const payload = new PassThrough();
    const reply = injectInto(app().server, {
      method: 'POST',
      url: path,
      remoteAddress,
      headers,
      payload,
    }).then((one) => one);
    payload.write(' ');
    await until('the body is being read', () => payload.readableLength === 0);
    return async (body: object): Promise<number> => {
      payload.end(JSON.stringify(body));
      return (await reply).statusCode;
    };
  }

  function beginIn(browser: Browser, path: string) {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { host: new URL(SITE.root).host, origin: SITE.root, cookie };
    return begin(`/dashboard/api${path}`, headers, browser.address);
  }

  const bodies: Readonly<Record<string, object>> = {
    '/do/createToken': { name: 'x', scopes: ['project.delete'] },
    '/do/changePassword': { password: 'the horse of a thief' },
    '/do/createProject': { name: 'Alpha' },
  };

  for (const [path, body] of Object.entries(bodies)) {
    test(`a body that comes after the session has ended does nothing: ${path}`, async () => {
      const account = await givenAccount(app());
      const { browser } = await signedIn(app(), account);
      const finish = await beginIn(browser, path);

      await replacePassword(app().node.accounts, THE_OPERATOR, account, NEW_PASSWORD);

      assert.equal(await finish(body), 401);
      assert.equal((await newBrowser(app()).signIn(account.email, NEW_PASSWORD)).status, 204);
    });
  }

  test('a body that comes after the person was removed makes no key', async () => {
    const { browser: owner, project, path } = await givenTeam(app());
    const bob = await givenMember(app(), project, 'member');
    const finish = await beginIn(bob.browser, `${path}/do/createKey`);

    assert.equal((await owner.post(`${path}/do/removeMember`, { member: bob.account.uuid })).status, 204);

    assert.equal(await finish({ name: 'x', kind: 'read_write' }), 404);
  });

  test('a body that comes after the token was revoked makes no key', async () => {
    const { account, browser, project } = await givenTeam(app());
    const made = await browser.post('/do/createToken', { name: 'x', scopes: ['keys.edit'] });
    const headers = { 'x-api-key': made.json.secret };
    const finish = await begin(`/api/v3/projects/${project.uuid}/keys/`, headers, browser.address);

    await setActive(app().node.accounts, THE_OPERATOR, account, false);

    assert.equal(await finish({ name: 'x', kind: 'read_write' }), 401);
  });
});
