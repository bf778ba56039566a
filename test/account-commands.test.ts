import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { account, admin } from '../src/cli/account.ts';
import { type Command, CommandFailure, UsageError } from '../src/cli/command.ts';
import { AppError } from '../src/domain/errors.ts';
import { PLACEHOLDER_EMAIL } from '../src/domain/people/account.ts';
import { isPassword } from '../src/lib/password.ts';
import type { Store } from '../src/storage/store.ts';
import { forEachEngine, openTestDatabase, type TestStore } from './engines.ts';
import { accountRecord, givenProject, identityRecord, sessionRecord } from './records.ts';

/** Runs a command on the database, and returns what it printed. */
async function run(
  { database }: TestStore,
  command: Command,
  args: readonly string[],
  input = '',
): Promise<string> {
  const stdout = new PassThrough();
  const environment = () => ({
    DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
    SECRET_KEY: 'a secret for tests only',
    SITE_ROOT: 'https://tocsin.example.org',
    LOG_LEVEL: 'silent',
  });
  const code = await command.run(args, {
    stdin: Readable.from([input]),
    stdout,
    stderr: new PassThrough(),
    environment,
    stopSignal: () => new Promise(() => undefined),
    exit: () => assert.fail('the command ended the process'),
  });
  assert.equal(code, 0);
  return text(stdout.end());
}

async function find(store: Store, email = 'alice@example.org') {
  return (await store.accounts.byEmail(email)) ?? assert.fail();
}

forEachEngine((engine) => {
  test('account create makes an account with a project, and prints a link to choose the password', async () => {
    await using opened = await openTestDatabase(engine);

    const printed = await run(opened, account, ['create', 'Alice@Example.org', '--name', 'Alice', '--admin']);

    assert.match(
      printed,
      /^Created the account alice@example\.org, an administrator\.\n.*\nhttps:\/\/tocsin\.example\.org\/accounts\/password\/#[\w-]{43}\n$/,
    );
    const made = await find(opened.store);
    assert.equal(made.name, 'Alice');
    assert.equal(made.isAdmin, true);
    assert.equal(made.passwordHash, null);
    assert.equal((await opened.store.projects.accessibleTo(made.id)).length, 1);
  });

  test('the first administrator gets the project of the first start with its keys, and the next one has their own', async () => {
    await using opened = await openTestDatabase(engine);
    const { store } = opened;
    const { project } = await givenProject(store, { account: { email: PLACEHOLDER_EMAIL } });
    const names = async (email: string) =>
      (await store.projects.accessibleTo((await find(store, email)).id)).map(({ uuid }) => uuid);

    await run(opened, account, ['create', 'alice@example.org', '--admin']);
    await run(opened, account, ['create', 'bob@example.org', '--admin']);

    assert.deepEqual(await names('alice@example.org'), [project.uuid]);
    assert.equal(await store.accounts.byEmail(PLACEHOLDER_EMAIL), null);
    const [own, ...others] = await names('bob@example.org');
    assert.ok(own !== undefined && own !== project.uuid && others.length === 0);
  });

  test('account create takes a password from standard input, and refuses a weak one', async () => {
    await using opened = await openTestDatabase(engine);
    const create = (password: string) =>
      run(opened, account, ['create', 'alice@example.org', '--password-stdin'], `${password}\nmore\n`);

    await assert.rejects(create('password1'), /among the first that others try/);
    assert.equal(await create('a horse of good temper'), 'Created the account alice@example.org.\n');

    const { passwordHash } = await find(opened.store);
    assert.equal(await isPassword('a horse of good temper', passwordHash ?? ''), true);
    await assert.rejects(create('a horse of good temper'), (error) => {
      assert.ok(error instanceof AppError);
      return error.code === 'email_taken';
    });
  });

  test('account reset-password prints a new link, or sets a password and ends all sessions', async () => {
    await using opened = await openTestDatabase(engine);
    const { id } = await opened.store.transaction((tx) =>
      tx.accounts.insert(accountRecord({ email: 'alice@example.org' })),
    );
    await opened.store.transaction((tx) => tx.sessions.insert(sessionRecord(id)));

    const link = await run(opened, account, ['reset-password', 'alice@example.org']);
    assert.match(link, /\/accounts\/password\/#[\w-]{43}\n$/);
    assert.equal((await opened.store.sessions.ofAccount(id)).length, 1);
    const args = ['reset-password', 'alice@example.org', '--password-stdin'];
    await run(opened, account, args, 'a horse of good temper\n');

    assert.equal((await opened.store.sessions.ofAccount(id)).length, 0);
    const { passwordHash } = await find(opened.store);
    assert.equal(await isPassword('a horse of good temper', passwordHash ?? ''), true);
  });

  test('account reset-second-factor removes the app and the recovery codes, and ends all sessions', async () => {
    await using opened = await openTestDatabase(engine);
    const { id } = await opened.store.transaction((tx) =>
      tx.accounts.insert(accountRecord({ email: 'alice@example.org' })),
    );
    await opened.store.transaction(async (tx) => {
      await tx.sessions.insert(sessionRecord(id));
      await tx.secondFactors.addAuthenticator({ accountId: id, sealedSecret: 'x', createdAt: 0 }, 0);
      await tx.secondFactors.setRecoveryCodes(id, ['digest']);
    });

    await run(opened, account, ['reset-second-factor', 'alice@example.org']);

    assert.equal(await opened.store.secondFactors.authenticatorOf(id), null);
    assert.equal(await opened.store.secondFactors.recoveryCodeCount(id), 0);
    assert.equal((await opened.store.sessions.ofAccount(id)).length, 0);
  });

  test('account disconnect lets another person of the provider have the account, and ends all sessions', async () => {
    await using opened = await openTestDatabase(engine);
    const { id } = await opened.store.transaction((tx) =>
      tx.accounts.insert(accountRecord({ email: 'alice@example.org' })),
    );
    await opened.store.transaction(async (tx) => {
      await tx.sessions.insert(sessionRecord(id));
      await tx.identities.insert(identityRecord(id));
      await tx.accounts.setAdminByGroup(id, true);
    });

    await run(opened, account, ['disconnect', 'alice@example.org']);

    assert.deepEqual(await opened.store.identities.ofAccount(id), []);
    assert.equal((await opened.store.sessions.ofAccount(id)).length, 0);
    assert.equal((await opened.store.accounts.byId(id))?.isAdmin, false);
  });

  test('account list names everybody, and not the owner that a first start has made', async () => {
    await using opened = await openTestDatabase(engine);
    await opened.store.transaction(async (tx) => {
      await tx.accounts.insert(accountRecord({ email: 'admin@localhost' }));
      await tx.accounts.insert(accountRecord({ email: 'a@example.org', name: 'A', isAdmin: true }));
      await tx.accounts.insert(accountRecord({ email: 'b@example.org' }));
    });

    assert.equal(
      await run(opened, account, ['list']),
      '2026-01-02T03:04:05+00:00  a@example.org, A, administrator\n2026-01-02T03:04:05+00:00  b@example.org\n',
    );
  });

  test('account delete says what would be lost before it deletes projects', async () => {
    await using opened = await openTestDatabase(engine);
    const { account: owner, project } = await givenProject(opened.store, {
      account: { email: 'alice@example.org' },
    });
    const remove = (...options: string[]) => run(opened, account, ['delete', owner.email, ...options]);

    await assert.rejects(remove(), (error) => {
      assert.ok(error instanceof CommandFailure);
      assert.match(error.message, /^ {2}Backups: 0 checks, 0 members$/m);
      return true;
    });
    assert.notEqual(await opened.store.projects.byId(project.id), null);
    assert.equal(await remove('--with-projects'), 'Deleted the account alice@example.org and 1 project.\n');

    assert.equal(await opened.store.projects.byId(project.id), null);
    assert.equal(await opened.store.accounts.byEmail(owner.email), null);
  });

  test('accounts are deactivated and activated, limited and signed out by commands', async () => {
    await using opened = await openTestDatabase(engine);
    const { store } = opened;
    const { id } = await store.transaction((tx) =>
      tx.accounts.insert(accountRecord({ email: 'alice@example.org' })),
    );
    const on = (command: string, ...options: string[]) =>
      run(opened, account, [command, 'alice@example.org', ...options]);

    await store.transaction((tx) => tx.sessions.insert(sessionRecord(id)));
    assert.equal(await on('end-sessions'), 'alice@example.org is signed out everywhere: 1 session.\n');
    await store.transaction((tx) => tx.sessions.insert(sessionRecord(id)));
    assert.equal(await on('deactivate'), 'alice@example.org is now not active.\n');
    assert.equal((await find(store)).isActive, false);
    assert.deepEqual(await store.sessions.ofAccount(id), []);
    assert.match(await run(opened, account, ['list']), /alice@example\.org, not active\n$/);
    assert.equal(await on('deactivate'), 'alice@example.org is already not active.\n');
    assert.equal(await on('activate'), 'alice@example.org is now active.\n');
    assert.equal(
      await on('set-limits', '--pings', '5'),
      'alice@example.org may have 1000 checks, and keeps 5 pings of each.\n',
    );
    assert.deepEqual((await find(store)).limits, { checks: 1000, pings: 5 });
  });

  test('admin grants and revokes, and leaves a record', async () => {
    await using opened = await openTestDatabase(engine);
    await opened.store.transaction((tx) => tx.accounts.insert(accountRecord({ email: 'alice@example.org' })));
    const grant = () => run(opened, admin, ['grant', 'alice@example.org']);

    assert.equal(await grant(), 'alice@example.org is now an administrator.\n');
    assert.equal(await grant(), 'alice@example.org is already an administrator.\n');
    assert.equal((await find(opened.store)).isAdmin, true);
    assert.equal(
      await run(opened, admin, ['revoke', 'alice@example.org']),
      'alice@example.org is now no administrator.\n',
    );

    const acts = await opened.driver.all('select actor, means, action from audit_log order by id');
    assert.deepEqual(
      acts.map((act) => ({ ...(act as object) })),
      [
        { actor: 'operator', means: 'command', action: 'admin.granted' },
        { actor: 'operator', means: 'command', action: 'admin.revoked' },
      ],
    );
  });
});

test('commands about accounts refuse what they do not understand', async () => {
  await using opened = await openTestDatabase('sqlite');
  const faults: [Command, string[], RegExp][] = [
    [
      account,
      [],
      /give one of: create, reset-password, reset-second-factor, end-sessions, activate, deactivate, set-limits, disconnect, list/,
    ],
    [account, ['rename', 'a@example.org'], /give one of/],
    [account, ['create'], /create takes one address/],
    [account, ['create', 'a@example.org', 'b@example.org'], /create takes one address/],
    [account, ['create', 'nonsense'], /"nonsense" is not an e-mail address/],
    [account, ['create', 'a@example.org', '--with-projects'], /create takes no --with-projects/],
    [account, ['create', 'a@example.org', '--password', 'x'], /Unknown option/],
    [account, ['create', 'a@example.org', '--name', 'x'.repeat(101)], /--name is too long/],
    [account, ['set-limits', 'a@example.org'], /give --checks or --pings, or both/],
    [account, ['set-limits', 'a@example.org', '--pings', '0'], /--pings takes a whole number from 1 to/],
    [account, ['list', 'a@example.org'], /list takes no arguments/],
    [admin, ['grant'], /grant takes one address/],
  ];
  for (const [command, args, message] of faults) {
    await assert.rejects(run(opened, command, args), (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(run(opened, admin, ['grant', 'nobody@example.org']), /there is no account nobody@/);
});
