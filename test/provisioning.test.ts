import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changeLines } from '../src/cli/differences.ts';
import { MAX_PROJECT_MEMBERS } from '../src/domain/people/project.ts';
import { CHANNEL_KINDS, kindOf } from '../src/integrations/registry.ts';
import { seconds } from '../src/lib/instant.ts';
import { isPassword } from '../src/lib/password.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { unsubscribe } from '../src/services/alert/channel-links.ts';
import { deleteCheck } from '../src/services/check/checks.ts';
import { authenticate, systemActor } from '../src/services/core/actor.ts';
import { queueReports } from '../src/services/mail/reports.ts';
import { listKeys, rotateKey } from '../src/services/project/keys.ts';
import { deleteDuePiece } from '../src/services/project/project-deletion.ts';
import { deleteProject, pingKeyDigest, renameProject } from '../src/services/project/projects.ts';
import { ProvisionError } from '../src/services/provisioning/declaration.ts';
import { provision } from '../src/services/provisioning/provision.ts';
import type { Store } from '../src/storage/store.ts';
import { dueMails } from './account-mails.ts';
import { sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { accountRecord, accountTokenRecord, linkRecord, sessionRecord } from './records.ts';

/** Applies a file and tells the changes as the command does. */
async function apply(app: TestApp, content: string): Promise<string[]> {
  return changeLines(await provision(app.deps, parseProvisionFile('tocsin.yaml', content)));
}

function fresh(app: TestApp) {
  const id = app.deps.random.uuid().replaceAll('-', '');
  return {
    email: `${app.deps.random.uuid()}@example.org`,
    readWrite: `hcw_${id.slice(0, 28)}`,
    readOnly: `hcr_${id.slice(0, 28)}`,
    ping: id.slice(0, 22),
  };
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('integrations of every kind can be declared, with the settings that their examples have', async () => {
    const app = started();
    const { email } = fresh(app);
    const declared = CHANNEL_KINDS.map((kind) => ({ ...kindOf(kind)?.example, kind, name: kind })).filter(
      ({ kind }) => kind !== 'group',
    );

    const changes = await apply(
      app,
      JSON.stringify({
        accounts: [{ email, password: 'correct horse battery' }],
        projects: [{ name: 'Kinds', owner: email, integrations: declared }],
      }),
    );

    assert.deepEqual(
      changes.slice(2),
      declared.map(({ kind }) => `created integration Kinds/${kind}/${kind}`),
    );
  });

  test('a file makes everything it declares, and says so', async () => {
    const app = started();
    const { email, readWrite, readOnly, ping } = fresh(app);

    const changes = await apply(
      app,
      `accounts:
  - { email: ${email}, password: correct horse battery, limits: { checks: 7, pings: 50 } }
projects:
  - name: Alpha
    owner: ${email}
    keys: { read_write: ${readWrite}, read_only: ${readOnly}, ping: ${ping} }
    integrations:
      - { kind: email, name: Alice mail, email: ${email}, verified: true }
      - { kind: webhook, name: Sink, down: { url: "http://127.0.0.1:9099/" } }
    checks:
      - { name: Nightly, slug: nightly, schedule: "0 3 * * *", tz: US/Eastern, integrations: "*" }
      - { slug: heartbeat, timeout: 300, grace: 60, integrations: Sink }
`,
    );

    assert.deepEqual(changes, [
      `created account ${email}`,
      'created project Alpha',
      'created integration Alpha/email/Alice mail',
      'created integration Alpha/webhook/Sink',
      'created check Alpha/nightly',
      'created check Alpha/heartbeat',
    ]);
    const listed = await app.request('GET', '/api/v3/checks/', { key: readWrite });
    const { checks } = listed.json as { checks: Record<string, unknown>[] };
    assert.deepEqual(
      checks.map(({ slug, schedule, tz, timeout, grace }) => ({ slug, schedule, tz, timeout, grace })),
      [
        { slug: 'nightly', schedule: '0 3 * * *', tz: 'US/Eastern', timeout: undefined, grace: 3600 },
        { slug: 'heartbeat', schedule: undefined, tz: undefined, timeout: 300, grace: 60 },
      ],
    );
    assert.deepEqual(
      checks.map(({ channels }) => String(channels).split(',').length),
      [2, 1],
    );
    assert.equal((await app.request('GET', '/api/v3/checks/', { key: readOnly })).status, 200);
  });

  test('a group names its members as the file does, wherever they stand', async () => {
    const app = started();
    const { email } = fresh(app);
    const file = (members: string) => `accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    integrations:
      - { kind: group, name: Night shift, channels: [${members}] }
      - { kind: slack, name: Ops channel, url: "https://hooks.example.org/1" }
      - { kind: telegram, name: On call, id: -100 }
      - { kind: po, name: Phone, user_key: uQiRzpo4DXghDmr9QzzfQu27cmVRsG, priority_down: 2 }
`;

    await apply(app, file('Ops channel, Phone'));

    const account = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project] = await app.deps.store.projects.byOwnerAndName(account.id, 'Alpha');
    const channels = await app.deps.store.channels.ofProject(project?.id ?? 0);
    const uuidOf = (wanted: string) => channels.find(({ name }) => name === wanted)?.uuid;
    assert.deepEqual(channels.find(({ kind }) => kind === 'group')?.settings.open, {
      channels: [uuidOf('Ops channel'), uuidOf('Phone')],
    });
    assert.deepEqual(await apply(app, file('Ops channel, Phone')), []);
    for (const [members, reason] of [
      ['Day shift', 'there is no integration "Day shift"'],
      ['Night shift', 'there is no integration "Night shift"'],
    ] as const) {
      await assert.rejects(apply(app, file(members)), new ProvisionError(6, reason));
    }
  });

  test('a file names phones, rooms, chats and repositories that need no confirmation', async () => {
    const app = started();
    const { email } = fresh(app);
    const file = `accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    integrations:
      - { kind: sms, name: Phone, phone: "+15551234567" }
      - { kind: matrix, name: Room, room: "#ops:example.org" }
      - { kind: telegram, name: Chat, id: -100 }
      - { kind: github, name: Issues, installation_id: 7, repo: acme/web }
`;

    await apply(app, file);
    await apply(app, file.replace('acme/web', 'acme/api').replace('id: -100', 'id: -101'));

    const account = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project] = await app.deps.store.projects.byOwnerAndName(account.id, 'Alpha');
    const channels = await app.deps.store.channels.ofProject(project?.id ?? 0);
    assert.deepEqual(
      channels.map(({ name, verified }) => [name, verified]),
      [
        ['Phone', true],
        ['Room', true],
        ['Chat', true],
        ['Issues', true],
      ],
    );
    assert.match(JSON.stringify(channels.map(({ settings }) => settings.open)), /-101.*acme\/api/);
  });

  test('passwords and keys are stored hashed', async () => {
    const app = started();
    const { email, readWrite, ping } = fresh(app);

    await apply(
      app,
      `accounts: [{ email: ${email}, password: correct horse battery }]
projects: [{ name: Alpha, owner: ${email}, keys: { read_write: ${readWrite}, ping: ${ping} } }]`,
    );

    const account = await app.deps.store.accounts.byEmail(email);
    assert.match(account?.passwordHash ?? '', /^\$argon2id\$/);
    assert.equal(await isPassword('correct horse battery', account?.passwordHash ?? ''), true);
    const project = await app.deps.store.projects.byPingKey(pingKeyDigest(ping));
    const keys = await app.deps.store.apiKeys.ofProject(project?.id ?? 0);
    assert.equal(app.deps.vault.unseal(project?.pingKeySealed ?? ''), ping);
    assert.doesNotMatch(
      JSON.stringify([account, project, keys]),
      new RegExp(`${ping}|${readWrite.slice(12)}|horse`),
    );
  });

  test('a key that people have rotated is valid again once its file is applied, and their own keys stay', async () => {
    const app = started();
    const { email, readWrite } = fresh(app);
    const file = (key: string) => `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, keys: { read_write: ${key} } }]`;
    await apply(app, file(readWrite));
    const deps = { ...app.deps, keyUses: app.node.keyUses };
    const { projectId } = await authenticate(deps, readWrite, null);
    const actor = systemActor(projectId);
    const [provisioned = assert.fail()] = await listKeys(app.deps, actor);
    const own = await rotateKey(app.deps, actor, provisioned.uuid, { overlapHours: 0, expiresAt: null });
    await assert.rejects(authenticate(deps, readWrite, null), { code: 'wrong_api_key' });

    assert.deepEqual(await apply(app, file(readWrite)), ['updated project Alpha: read_write key']);

    assert.equal((await authenticate(deps, readWrite, null)).projectId, projectId);
    assert.deepEqual(await apply(app, file(readWrite)), []);
    const { readWrite: other } = fresh(app);
    await apply(app, file(other));
    assert.equal((await authenticate(deps, own.secret, null)).projectId, projectId);
    await assert.rejects(authenticate(deps, readWrite, null), { code: 'wrong_api_key' });
  });

  test('applying a file again changes nothing', async () => {
    const app = started();
    const { email, readWrite, ping } = fresh(app);
    const content = `accounts: [{ email: ${email}, password: correct horse battery }]
projects:
  - name: Alpha
    owner: ${email}
    keys: { read_write: ${readWrite}, ping: ${ping} }
    integrations: [{ kind: email, name: Mail, email: ${email} }]
    checks: [{ slug: a, subject: OK, integrations: "*" }]
`;
    await apply(app, content);

    assert.deepEqual(await apply(app, content), []);
  });

  test('only what differs is changed, and each field is named', async () => {
    const app = started();
    const { email, readWrite } = fresh(app);
    const other = fresh(app);
    const content = (key: string, limits: string, address: string, check: string) => `accounts:
  - { email: ${email}, password: correct horse battery, limits: { ${limits} } }
projects:
  - name: Alpha
    owner: ${email}
    keys: { read_write: ${key} }
    integrations: [{ kind: email, name: Mail, email: ${address} }]
    checks: [{ slug: a, ${check} }]
`;
    await apply(app, content(readWrite, 'checks: 5', 'a@example.org', 'name: A, integrations: ""'));

    const changes = await apply(
      app,
      content(other.readWrite, 'checks: 6', 'b@example.org', 'name: B, timeout: 60, integrations: Mail'),
    );

    assert.deepEqual(changes, [
      `updated account ${email}: limits`,
      'updated project Alpha: read_write key',
      'updated integration Alpha/email/Mail: settings',
      'updated check Alpha/a: name, timeout, integrations',
    ]);
    assert.equal((await app.request('GET', '/api/v3/checks/', { key: readWrite })).status, 401);
    assert.equal((await app.request('GET', '/api/v3/checks/', { key: other.readWrite })).status, 200);
  });

  test('an integration that is off is switched on by a change of the file, and only by a change', async () => {
    const app = started();
    const { email, readWrite } = fresh(app);
    const content = (address: string) => `accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    keys: { read_write: ${readWrite} }
    integrations: [{ kind: email, name: Mail, email: ${address}, verified: true }]
`;
    const state = async () => {
      const { json } = await app.request('GET', '/api/v3/channels/?details=1', { key: readWrite });
      const [channel] = (json as { channels: Record<string, unknown>[] }).channels;
      return [channel?.disabled, channel?.disabled_reason, channel?.verified];
    };
    await apply(app, content('a@example.org'));
    const { projectId } = await authenticate({ ...app.deps, keyUses: app.node.keyUses }, readWrite, null);
    const [channel = assert.fail()] = await app.deps.store.channels.ofProject(projectId);
    await unsubscribe(app.deps, channel);

    assert.deepEqual(await apply(app, content('a@example.org')), []);
    assert.deepEqual(await state(), [true, 'unsubscribed', true]);

    const changes = await apply(app, content('b@example.org'));
    assert.deepEqual(changes, ['updated integration Alpha/email/Mail: settings']);
    assert.deepEqual(await state(), [false, null, true]);
  });

  test('an address that the file vouches for is confirmed at once, and no mail asks its owner', async () => {
    const app = started();
    const { email, readWrite } = fresh(app);
    await dueMails(app);

    await apply(
      app,
      `accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    keys: { read_write: ${readWrite} }
    integrations: [{ kind: email, name: Mail, email: on-call@example.org, verified: true }]
`,
    );

    const { json } = await app.request('GET', '/api/v3/channels/?details=1', { key: readWrite });
    const [channel] = (json as { channels: { verified: boolean }[] }).channels;
    assert.deepEqual([channel?.verified, await dueMails(app)], [true, []]);
  });

  test('an address that has unsubscribed gets messages again once it is switched on and the file vouches for it', async () => {
    const app = started();
    const { email, readWrite } = fresh(app);
    const content = `accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    keys: { read_write: ${readWrite} }
    integrations: [{ kind: email, name: Mail, email: a@example.org, verified: true }]
`;
    await apply(app, content);
    const { projectId } = await authenticate({ ...app.deps, keyUses: app.node.keyUses }, readWrite, null);
    const [channel = assert.fail()] = await app.deps.store.channels.ofProject(projectId);
    const state = async () => {
      const found = await app.deps.store.channels.byId(channel.id);
      return [found?.off?.reason ?? null, found?.verified];
    };
    await unsubscribe(app.deps, channel);

    const reply = await app.request('POST', `/api/v3/channels/${channel.uuid}/enable`, { key: readWrite });
    assert.equal(reply.status, 200);
    assert.deepEqual(await state(), [null, false]);

    assert.deepEqual(await apply(app, content), ['updated integration Alpha/email/Mail: verified']);
    assert.deepEqual(await state(), [null, true]);
  });

  test('what the file does not name is not touched', async () => {
    const app = started();
    const { project, key } = await app.givenProject();
    const owner = await app.deps.store.accounts.ownerOf(project.id);
    const channel = await app.givenChannel(project, { name: 'Kept' });
    const kept = await app.givenCheck(project, { slug: 'kept', name: 'Kept', description: 'by hand' });
    await app.assign(kept, channel);

    const changes = await apply(
      app,
      `projects:
  - name: ${project.name}
    owner: ${owner?.email}
    checks: [{ slug: kept, tags: new }, { slug: added }]
`,
    );

    assert.deepEqual(changes, ['updated check Alpha/kept: tags', 'created check Alpha/added']);
    const after = await app.deps.store.checks.byUuid(kept.uuid);
    assert.deepEqual(after, { ...kept, tags: 'new', sources: after?.sources });
    assert.deepEqual(await app.deps.store.checks.channelsOf(kept.id), [channel.uuid]);
    assert.equal((await app.request('GET', '/api/v3/checks/', { key })).status, 200);
  });

  test('a file says how often accounts are written to, and names what it changed', async () => {
    const app = started();
    const { email } = fresh(app);
    const settings = async () => {
      const { id } = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
      const found = (await app.deps.store.mailPreferences.ofAccount(id)) ?? assert.fail();
      return [found.tz, found.reports, found.reminderSeconds, found.nextReportAt];
    };
    const file = (fields: string) => apply(app, `accounts: [{ email: ${email}, ${fields} }]`);

    assert.deepEqual(await file('tz: Europe/Riga, reports: daily'), [`created account ${email}`]);
    assert.deepEqual(await settings(), ['Europe/Riga', 'daily', 0, null]);
    assert.deepEqual(await file('tz: Europe/Riga, reports: daily'), []);
    await queueReports(app.deps, false);
    const [, , , date] = await settings();
    assert.notEqual(date, null);
    assert.deepEqual(await file('reminders: hourly'), [`updated account ${email}: reminders`]);
    assert.deepEqual(await settings(), ['Europe/Riga', 'daily', 3600, date]);
    assert.deepEqual(await file('tz: UTC, reports: off, reminders: off'), [
      `updated account ${email}: tz, reports, reminders`,
    ]);
    assert.deepEqual(await settings(), ['UTC', 'off', 0, null]);
  });

  test('members are added, and those that the file does not name stay', async () => {
    const app = started();
    const [owner, one, two] = [fresh(app), fresh(app), fresh(app)];
    const file = (...members: string[]) =>
      apply(
        app,
        `accounts:
  - { email: ${owner.email}, reminders: daily }
  - { email: ${one.email} }
  - { email: ${two.email}, reminders: daily }
projects: [{ name: Shared, owner: ${owner.email}, members: [${members.join(', ')}] }]
`,
      );
    const projectsOf = async (email: string) => {
      const { id } = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
      return app.deps.store.projects.accessibleTo(id);
    };

    await file(one.email);
    const [project] = await projectsOf(one.email);
    await app.givenCheck(project ?? assert.fail(), { status: 'down' });
    assert.deepEqual(await projectsOf(two.email), []);
    assert.deepEqual(await file(two.email, owner.email), ['updated project Shared: members']);
    assert.deepEqual(await file(one.email, two.email), []);

    assert.deepEqual(await projectsOf(one.email), [project]);
    assert.deepEqual(await projectsOf(two.email), [project]);
    const { id } = (await app.deps.store.accounts.byEmail(two.email)) ?? assert.fail();
    assert.notEqual((await app.deps.store.mailPreferences.ofAccount(id))?.nextReminderAt, null);
  });

  test('a member has the role that the file names; where it names none, a new one is a member and others stay as they are', async () => {
    const app = started();
    const [owner, one, two] = [fresh(app), fresh(app), fresh(app)];
    const file = (...members: string[]) =>
      apply(
        app,
        `accounts: [{ email: ${owner.email} }, { email: ${one.email} }, { email: ${two.email} }]
projects: [{ name: Shared, owner: ${owner.email}, members: [${members.join(', ')}] }]
`,
      );
    const roles = async () => {
      const { id } = (await app.deps.store.accounts.byEmail(owner.email)) ?? assert.fail();
      const [project = assert.fail()] = await app.deps.store.projects.byOwnerAndName(id, 'Shared');
      const team = await app.deps.store.projects.teamOf(project.id);
      return Object.fromEntries(team.map(({ email, role }) => [email, role]));
    };

    await file(`{ email: ${one.email}, role: read_only }`, two.email);
    assert.deepEqual(await roles(), {
      [owner.email]: 'owner',
      [one.email]: 'read_only',
      [two.email]: 'member',
    });
    assert.deepEqual(await file(`{ email: ${one.email}, role: manager }`), [
      'updated project Shared: members',
    ]);
    assert.deepEqual(await file(`{ email: ${one.email}, role: manager }`), []);
    assert.deepEqual(await file(one.email, `{ email: ${owner.email}, role: read_only }`), []);
    assert.deepEqual(await roles(), {
      [owner.email]: 'owner',
      [one.email]: 'manager',
      [two.email]: 'member',
    });
  });

  test('a file adds no more members than a project may have', async () => {
    const app = started();
    const [owner, last, beyond] = [fresh(app), fresh(app), fresh(app)];
    const file = (...members: string[]) =>
      apply(
        app,
        `accounts: [{ email: ${owner.email} }, { email: ${last.email} }, { email: ${beyond.email} }]
projects: [{ name: Shared, owner: ${owner.email}, members: [${members.join(', ')}] }]
`,
      );
    await file();
    await app.deps.store.transaction(async (tx) => {
      const { id } = (await tx.accounts.byEmail(owner.email)) ?? assert.fail();
      const [project = assert.fail()] = await tx.projects.byOwnerAndName(id, 'Shared');
      for (let n = 1; n < MAX_PROJECT_MEMBERS; n++) {
        const account = await tx.accounts.insert(accountRecord());
        await tx.projects.addMember(project.id, account.id, 'member', 1);
      }
    });

    await assert.rejects(
      file(last.email, beyond.email),
      new ProvisionError(2, `the project has ${MAX_PROJECT_MEMBERS} members already`),
    );
    assert.deepEqual(await file(last.email), ['updated project Shared: members']);
  });

  test('a member who has no account any more is passed over, and the rest is applied', async () => {
    const app = started();
    const { email } = fresh(app);
    const content = `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, members: [nobody@example.org], checks: [{ slug: a }] }]`;

    assert.deepEqual(await apply(app, content), [
      `created account ${email}`,
      'created project Alpha',
      'skipped member Alpha/nobody@example.org',
      'created check Alpha/a',
    ]);
    assert.deepEqual(await apply(app, content), ['skipped member Alpha/nobody@example.org']);
  });

  test('a project that leaves the file of the service is declared by nobody, and one that stays is', async () => {
    const app = started();
    const { email } = fresh(app);
    const file = (...names: string[]) => {
      const projects = names.map((name) => `{ name: ${name}, owner: ${email} }`);
      return parseProvisionFile(
        'tocsin.yaml',
        `accounts: [{ email: ${email} }]\nprojects: [${projects.join(', ')}]`,
      );
    };
    await provision(app.deps, file('Stays', 'Leaves'));
    await provision(app.deps, file('Stays'));
    const owner = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const declared = () => app.deps.store.transaction((tx) => tx.declarations.entriesOf('project', owner.id));
    assert.deepEqual(
      (await declared()).map(({ name }) => name).toSorted(),
      ['Leaves', 'Stays'],
      'there may be other files',
    );

    const changes = await provision(app.deps, file('Stays'), { isWhole: true });

    assert.ok(changeLines(changes).includes('released project Leaves'));
    assert.deepEqual(
      (await declared()).map(({ name }) => name),
      ['Stays'],
    );
  });

  const contradictions: [what: string, content: (email: string) => string, fault: RegExp][] = [
    [
      'an owner that does not exist',
      () => 'projects:\n  - { name: Alpha, owner: nobody@example.org }\n',
      /there is no account nobody@example\.org/,
    ],
    [
      'an integration that does not exist',
      (email) =>
        `projects:\n  - { name: Alpha, owner: ${email}, checks: [{ slug: a, integrations: Nope }] }\n`,
      /invalid integration: Nope/,
    ],
  ];
  for (const [what, content, fault] of contradictions) {
    test(`${what} refuses the file as a whole`, async () => {
      const app = started();
      const { email } = fresh(app);
      const accounts = `accounts: [{ email: ${email} }]\n`;

      await assert.rejects(
        apply(app, accounts + content(email)),
        (error) => error instanceof ProvisionError && error.line > 1 && fault.test(error.message),
      );
      assert.equal(await app.deps.store.accounts.byEmail(email), null);
    });
  }

  test("a key in use elsewhere, or the owner's limit, refuses the file as a whole", async () => {
    const app = started();
    const { email, readWrite, ping } = fresh(app);
    const other = fresh(app);
    await apply(
      app,
      `accounts: [{ email: ${email}, limits: { checks: 1 } }]
projects: [{ name: Alpha, owner: ${email}, keys: { read_write: ${readWrite}, ping: ${ping} } }]`,
    );
    const beta = (rest: string) =>
      `accounts: [{ email: ${other.email} }]\nprojects: [{ name: Beta, owner: ${email}, ${rest} }]`;

    await assert.rejects(
      apply(app, beta(`keys: { read_write: ${readWrite} }`)),
      /read_write key is already in use/,
    );
    await assert.rejects(apply(app, beta(`keys: { ping: ${ping} }`)), /ping key is already in use/);
    await assert.rejects(apply(app, beta('checks: [{ slug: a }, { slug: b }]')), /check limit is reached/);
    assert.equal(await app.deps.store.accounts.byEmail(other.email), null);
  });

  test('of several checks with one slug, or integrations of one name, the oldest is what the file means', async () => {
    const app = started();
    const { project } = await app.givenProject();
    const owner = await app.deps.store.accounts.ownerOf(project.id);
    const checks = [
      await app.givenCheck(project, { slug: 'twin' }),
      await app.givenCheck(project, { slug: 'twin' }),
    ];
    const channels = [
      await app.givenChannel(project, { kind: 'email', name: 'Twin' }),
      await app.givenChannel(project, { kind: 'email', name: 'Twin' }),
    ];

    const changes = await apply(
      app,
      `projects:
  - name: ${project.name}
    owner: ${owner?.email}
    integrations: [{ kind: email, name: Twin, email: new@example.org }]
    checks: [{ slug: twin, timeout: 120, integrations: Twin }]
`,
    );

    assert.deepEqual(changes, [
      `updated integration ${project.name}/email/Twin: settings, verified`,
      `updated check ${project.name}/twin: timeout, integrations`,
    ]);
    const { store } = app.deps;
    const [older, younger] = await store.channels.ofProject(project.id);
    assert.deepEqual(older?.settings.open, { email: 'new@example.org' });
    assert.deepEqual(younger, channels[1]);
    assert.deepEqual(await store.checks.channelsOf(checks[0]?.id ?? 0), [channels[0]?.uuid]);
    assert.deepEqual(await store.checks.byId(checks[1]?.id ?? 0), checks[1]);
  });

  test('a check that somebody makes with the slug of a declared one is left alone', async () => {
    const app = started();
    const { email, readWrite } = fresh(app);
    const file = (timeout: number) => `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, keys: { read_write: ${readWrite} }, checks: [{ slug: job, timeout: ${timeout} }] }]`;
    await apply(app, file(300));

    const twin = await app.request('POST', '/api/v3/checks/', {
      key: readWrite,
      body: { slug: 'job', timeout: 60 },
    });

    assert.equal(twin.status, 201);
    assert.deepEqual(await apply(app, file(300)), []);
    assert.deepEqual(await apply(app, file(600)), ['updated check Alpha/job: timeout']);
    const listed = await app.request('GET', '/api/v3/checks/?slug=job', { key: readWrite });
    const { checks } = listed.json as { checks: { timeout: number }[] };
    assert.deepEqual(
      checks.map(({ timeout }) => timeout),
      [600, 60],
    );
  });

  test('a declared check that was given another slug, or was deleted, is made anew', async () => {
    const app = started();
    const { email, readWrite } = fresh(app);
    const file = `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, keys: { read_write: ${readWrite} }, checks: [{ slug: a }, { slug: b }] }]`;
    await apply(app, file);
    const listed = await app.request('GET', '/api/v3/checks/', { key: readWrite });
    const [a, b] = (listed.json as { checks: { uuid: string }[] }).checks;

    await app.request('POST', `/api/v3/checks/${a?.uuid}`, { key: readWrite, body: { slug: 'b' } });
    await app.request('DELETE', `/api/v3/checks/${b?.uuid}`, { key: readWrite });

    // The former a is the only b now.
    assert.deepEqual(await apply(app, file), ['created check Alpha/a']);
    assert.deepEqual(await apply(app, file), []);
  });

  test('a declared project that somebody has deleted or renamed is restored, and that is said', async () => {
    const app = started();
    const { email, readWrite: key, ping } = fresh(app);
    const file = `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, keys: { read_write: ${key}, ping: ${ping} }, checks: [{ slug: job }] }]`;
    await apply(app, file);
    const account = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project = assert.fail()] = await app.deps.store.projects.ownedBy(account.id);
    const actor = systemActor(project.id);
    await renameProject(app.deps, actor, 'Beta');
    await deleteProject(app.deps, actor, 'Beta');

    const changes = await apply(app, file);

    assert.deepEqual(changes, ['updated project Alpha: restored, name']);
    assert.deepEqual(await app.deps.store.projects.ownedBy(account.id), [project]);
    const { status } = await app.request('GET', '/api/v3/checks/', { key });
    assert.equal(status, 200);
    assert.deepEqual(await apply(app, file), []);
  });

  test('a declared project that can not be restored any more is made anew, with its keys', async () => {
    const app = started();
    const { email, readWrite: key, ping } = fresh(app);
    const file = `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, keys: { read_write: ${key}, ping: ${ping} }, checks: [{ slug: job }] }]`;
    await apply(app, file);
    const account = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project = assert.fail()] = await app.deps.store.projects.ownedBy(account.id);
    await deleteProject(app.deps, systemActor(project.id), 'Alpha');
    app.clock.advance({ days: 7 });

    const changes = await apply(app, file);

    assert.deepEqual(changes, ['created project Alpha', 'created check Alpha/job']);
    while (await deleteDuePiece(app.deps));
    const [other = assert.fail(), ...more] = await app.deps.store.projects.ownedBy(account.id);
    assert.notEqual(other.id, project.id);
    assert.deepEqual(more, []);
    assert.equal((await app.request('GET', '/api/v3/checks/', { key })).status, 200);
    assert.equal(await app.deps.store.accounts.checkCount(account.id), 1);
  });

  test('a password that the file replaces ends all access that was given before', async () => {
    const app = started();
    const { email } = fresh(app);
    const file = (password: string) => `accounts: [{ email: ${email}, password: ${password} }]`;
    await apply(app, file('the first one'));
    const { store, clock } = app.deps;
    const { id } = (await store.accounts.byEmail(email)) ?? assert.fail();
    const link = linkRecord(id, { expiresAt: clock.now() + seconds(60) });
    await store.transaction(async (tx) => {
      await tx.sessions.insert(sessionRecord(id));
      await tx.accountTokens.insert(accountTokenRecord(id));
      await tx.links.insert(link);
    });
    const left = async () => [
      (await store.sessions.ofAccount(id)).length,
      (await store.accountTokens.ofAccount(id)).length,
    ];

    await apply(app, file('the first one'));
    assert.deepEqual(await left(), [1, 1], 'the same password ends nothing');
    await apply(app, file('the second one'));

    assert.deepEqual(await left(), [0, 0]);
    const taken = await store.transaction((tx) => tx.links.take(link.digest, link.purpose, clock.now()));
    assert.equal(taken, null);
  });

  test('a password that is changed while passwords are compared is compared again', async () => {
    const app = started();
    const { email } = fresh(app);
    const file = (password: string) =>
      parseProvisionFile('tocsin.yaml', `accounts: [{ email: ${email}, password: ${password} }]`);
    await provision(app.deps, file('the first one'));
    let isChanged = false;
    const store: Store = {
      ...app.deps.store,
      transaction: async (work) => {
        if (!isChanged) {
          isChanged = true;
          await provision(app.deps, file('the second one'));
        }
        return app.deps.store.transaction(work);
      },
    };

    const changes = await provision({ ...app.deps, store }, file('the second one'));

    assert.deepEqual(changes, []);
  });
});

// On SQLite transactions take turns.
describe('on postgres, of several nodes', () => {
  const started = sharedTestApp('postgres');

  test('a ping that comes while a file is applied keeps its deadline', async () => {
    const app = started();
    const { email } = fresh(app);
    const file = (timeout: number) => `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, checks: [{ slug: job, timeout: ${timeout}, grace: 60 }] }]`;
    await apply(app, file(300));
    const account = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project = assert.fail()] = await app.deps.store.projects.byOwnerAndName(account.id, 'Alpha');
    const [check = assert.fail()] = await app.deps.store.checks.ofProject(project.id);

    const store: Store = {
      ...app.deps.store,
      transaction: (work) =>
        app.deps.store.transaction((tx) => {
          const read = tx.checks.byIds.bind(tx.checks);
          const byIds = async (ids: readonly number[]) => {
            const found = await read(ids);
            // Later reads are of locked checks.
            Object.assign(tx.checks, { byIds: read });
            await app.ping(`/${check.uuid}`);
            return found;
          };
          return work({ ...tx, checks: Object.assign(tx.checks, { byIds }) });
        }),
    };
    await provision({ ...app.deps, store }, parseProvisionFile('tocsin.yaml', file(600)));

    const after = await app.deps.store.checks.byId(check.id);
    assert.deepEqual([after?.status, after?.deadlineAt], ['up', app.clock.now() + seconds(660)]);
  });

  test('a check that is deleted while a file is applied is made anew', async () => {
    const app = started();
    const { email } = fresh(app);
    const file = (timeout: number) => `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, integrations: [{ kind: email, name: Mail, email: a@b.c }], checks: [{ slug: job, timeout: ${timeout}, integrations: "*" }] }]`;
    await apply(app, file(300));
    const account = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project = assert.fail()] = await app.deps.store.projects.byOwnerAndName(account.id, 'Alpha');
    const [check = assert.fail()] = await app.deps.store.checks.ofProject(project.id);
    const actor = systemActor(project.id);

    const store: Store = {
      ...app.deps.store,
      transaction: (work) =>
        app.deps.store.transaction((tx) => {
          const read = tx.checks.byIds.bind(tx.checks);
          const byIds = async (ids: readonly number[]) => {
            const found = await read(ids);
            // Later reads are of locked checks.
            Object.assign(tx.checks, { byIds: read });
            await deleteCheck(app.deps, actor, check.id);
            return found;
          };
          return work({ ...tx, checks: Object.assign(tx.checks, { byIds }) });
        }),
    };
    const changes = await provision({ ...app.deps, store }, parseProvisionFile('tocsin.yaml', file(600)));

    assert.deepEqual(changeLines(changes), ['created check Alpha/job']);
    assert.equal((await app.deps.store.checks.ofProject(project.id)).length, 1);
  });
});
