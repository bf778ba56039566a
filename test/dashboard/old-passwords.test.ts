import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../src/domain/people/account.ts';
import { importPassword, oldPasswordCosts } from '../../src/services/people/old-passwords.ts';
import { pruneAccountData } from '../../src/services/people/pruning.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenAccount, newBrowser } from './browser.ts';

/** Made as Django makes them, of the password as it was typed when it was chosen. */
const OLD = [
  {
    password: 'correct horse',
    hash: 'pbkdf2_sha256$1000$saltsaltsaltsaltsalt12$7kQnvik2EF+ZgxuPgZDCIKdNYs3JKaGATJCvSjVHMpY=',
  },
  {
    password: 'correct horse',
    hash: 'pbkdf2_sha1$1000$saltsaltsaltsaltsalt12$W1zR0lX3SSnxjJJFq7BirlR/5qo=',
  },
  {
    password: 'Gr\u00f6\u00dfe',
    hash: 'scrypt$16$saltsaltsaltsaltsalt12$8$5$gY2NvzfJOCS+Ny9V5BBeoDimSIqSyNtw1LU2ZWjKmDodJSt+N/iE70BhoeM8Py8dlIQBYQbJTufX9wllGmrAvQ==',
  },
  {
    password: 'Gro\u0308\u00dfe',
    hash: 'pbkdf2_sha256$1000$saltsaltsaltsaltsalt12$5wqDprCv5r6wSd3DieuKD3hUCAAeXPEMH+sT8uadI7I=',
  },
  // Healthchecks made this one.
  {
    password: 'old password of alice 1',
    hash: 'argon2$argon2id$v=19$m=102400,t=2,p=8$STNmc2pCMlc3VnF6eERUQmJUczRWOA$2O0q3Ruk7Q3VmrCph+mNA6cd8/xpFScFav5kSjKK+Vo',
  },
] as const;
const [PBKDF2] = OLD;

async function givenImported(app: TestApp, hash: string): Promise<Account> {
  const account = await givenAccount(app, { passwordHash: null });
  await app.deps.store.transaction((tx) => importPassword(tx, account.id, hash));
  return account;
}

async function hashOf(app: TestApp, { id }: Account): Promise<string | null | undefined> {
  return (await app.deps.store.accounts.byId(id))?.passwordHash;
}

const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

forOneEngine((engine) => {
  test('an old password signs in and has a hash of ours from then on', async () => {
    await using app = await startTestApp(engine);
    for (const { password, hash } of OLD) {
      const account = await givenImported(app, hash);

      assert.equal((await newBrowser(app).signIn(account.email, `${password}!`)).status, 403);
      assert.equal(await hashOf(app, account), hash);
      const browser = newBrowser(app);
      assert.equal((await browser.signIn(account.email, password)).status, 204);
      assert.equal((await browser.get('/read/signedIn')).json.account.email, account.email);
      assert.match((await hashOf(app, account)) ?? '', OURS);
      assert.equal((await newBrowser(app).signIn(account.email, password)).status, 204);
      assert.equal((await newBrowser(app).signIn(account.email, `${password}!`)).status, 403);
    }

    assert.equal((await oldPasswordCosts(app.deps.store)).length, 4);
    await pruneAccountData(app.node.accounts);
    assert.deepEqual(await oldPasswordCosts(app.deps.store), []);
  });

  test('two windows in which a person signs in at once both succeed', async () => {
    await using app = await startTestApp(engine);
    const account = await givenImported(app, PBKDF2.hash);

    const replies = await Promise.all(
      [1, 2, 3].map(() => newBrowser(app).signIn(account.email, PBKDF2.password)),
    );

    assert.deepEqual(
      replies.map(({ status }) => status),
      [204, 204, 204],
    );
    assert.match((await hashOf(app, account)) ?? '', OURS);
  });

  test('who confirms a dangerous act by an old password has a hash of ours, too', async () => {
    await using app = await startTestApp(engine);
    const account = await givenAccount(app);
    const browser = newBrowser(app);
    await browser.signIn(account.email);
    await app.deps.store.transaction((tx) => importPassword(tx, account.id, PBKDF2.hash));

    const wrong = await browser.post('/do/confirmByPassword', { password: 'wrong horse' });
    const right = await browser.post('/do/confirmByPassword', { password: PBKDF2.password });

    assert.deepEqual([wrong.status, right.status], [403, 204]);
    assert.match((await hashOf(app, account)) ?? '', OURS);
  });

  test('nobody signs in to an account that is not active, whatever its hash', async () => {
    await using app = await startTestApp(engine);
    const account = await givenAccount(app, { isActive: false });
    await app.deps.store.transaction((tx) => importPassword(tx, account.id, PBKDF2.hash));

    const reply = await newBrowser(app).signIn(account.email, PBKDF2.password);

    assert.equal(reply.status, 403);
    assert.equal(reply.json.code, 'wrong_credentials');
  });

  test('the costliest hash of a form counts until the last of the form is gone', async () => {
    await using app = await startTestApp(engine);
    const { store } = app.deps;
    const cheap = await givenImported(app, PBKDF2.hash);
    const costly = await givenImported(app, PBKDF2.hash.replace('$1000$', '$2000$'));
    await givenImported(app, PBKDF2.hash);

    assert.deepEqual(await oldPasswordCosts(store), [{ by: 'pbkdf2_sha256', iterations: 2_000 }]);
    await store.transaction((tx) => tx.accounts.setPassword(costly.id, ''));
    await pruneAccountData(app.node.accounts);
    assert.equal((await oldPasswordCosts(store)).length, 1);
    assert.equal((await newBrowser(app).signIn(cheap.email, PBKDF2.password)).status, 204);
  });

  test('a hash that costs too much is imported by nobody', async () => {
    await using app = await startTestApp(engine);
    const account = await givenAccount(app, { passwordHash: null });
    const hash = PBKDF2.hash.replace('$1000$', '$1000000000$');

    await assert.rejects(app.deps.store.transaction((tx) => importPassword(tx, account.id, hash)));
  });
});
