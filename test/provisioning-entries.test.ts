import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { changeLines } from '../src/cli/differences.ts';
import { HOUR } from '../src/domain/check/check.test-support.ts';
import { toIsoSeconds } from '../src/lib/instant.ts';
import { exportInstallation, joinedText } from '../src/provision/installation.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { queueChannelReports } from '../src/services/alert/channel-reports.ts';
import { removeCheck } from '../src/services/check/check-deletion.ts';
import { listQuietTimes, stopQuietTime } from '../src/services/check/quiet-times.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { createWall } from '../src/services/project/walls.ts';
import { ProvisionError } from '../src/services/provisioning/declaration.ts';
import { readInstallation } from '../src/services/provisioning/installation.ts';
import { type ProvisionOptions, provision } from '../src/services/provisioning/provision.ts';
import { START, sharedTestApp, startTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

const PRUNE = { prune: { most: 20 } } as const;

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  function given() {
    const app = started();
    // With a letter first: YAML reads some of them as numbers.
    const unique = `u${app.deps.random.uuid().slice(1, 8)}`;
    const email = `${unique}@example.org`;
    const secret = (prefix: string, n = 0) => `${prefix}_${unique}${String(n).repeat(20)}`;
    const file = (project: string, more = '', source = unique) => `source: ${source}
accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    checks:
      - { slug: mail, tags: backup, aliases: [{ dialect: kuma, token: mail-${unique} }] }
      - { slug: other }
${project}
${more}`;
    const apply = async (content: string, options: ProvisionOptions = {}) =>
      changeLines(await provision(app.deps, parseProvisionFile('tocsin.yaml', content), options));
    const project = async () => {
      const owner = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
      const [found] = await app.deps.store.projects.byOwnerAndName(owner.id, 'Alpha');
      return found ?? assert.fail();
    };
    return { app, unique, email, secret, file, apply, project };
  }

  test('links between checks, and who is told of successes, are applied once all checks are there, and may turn round', async () => {
    const { app, unique, email, apply, project } = given();
    const linked = (mail: string, other: string) => `source: ${unique}
accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    integrations: [{ kind: slack, name: Chat, url: "https://hooks.example/a" }]
    checks:
      - { slug: mail, integrations: [Chat]${mail} }
      - { slug: other${other} }`;
    const first = linked(', parents: [other], done: [Chat]', '');
    const second = linked(', parents: [], done: []', ', parents: [mail]');
    const namesOf = async () => {
      const { id } = await project();
      const checks = await app.deps.store.checks.ofProject(id);
      const links = await app.deps.store.checkParents.ofProject(id);
      const nameOf = (of: number) => checks.find((check) => check.id === of)?.slug;
      return links.map(({ checkId, parentId }) => [nameOf(checkId), nameOf(parentId)]);
    };

    await apply(first);
    assert.deepEqual(await namesOf(), [['mail', 'other']]);
    assert.deepEqual(await apply(first), []);
    assert.equal((await apply(second)).length, 2);
    assert.deepEqual(await namesOf(), [['other', 'mail']]);
    assert.deepEqual(await apply(second), []);
    // A check that is linked to what the same file turns round is applied after that.
    await apply(linked(', parents: [other]', ', parents: []'));
    assert.deepEqual(await namesOf(), [['mail', 'other']]);
    await assert.rejects(
      async () => apply(linked(', parents: [other]', ', parents: [mail]')),
      (error) => error instanceof ProvisionError && /a circle: /.test(error.message),
    );
    await assert.rejects(
      async () => apply(linked(', parents: [nobody]', '')),
      (error) => error instanceof ProvisionError && error.line === 8 && /nobody/.test(error.message),
    );
  });

  test('an integration has the hours that its entry names, and none once it names none', async () => {
    const { app, apply, file, project } = given();
    const hours = '{ name: day, schedule: "0 8 * * *", tz: UTC, duration: 36000 }';
    const chat = (more: string) =>
      `    integrations: [{ kind: slack, name: Chat, url: "https://hooks.example/a"${more} }]`;
    const within = file(
      `    calendars: [${hours}]\n${chat(', hours: day, outside_hours: drop, buttons: none')}`,
    );
    const settings = async () => {
      const [channel] = await app.deps.store.channels.ofProject((await project()).id);
      return channel?.settings.open;
    };

    await apply(within);
    assert.deepEqual(await settings(), { hours: 'day', outside_hours: 'drop', buttons: 'none' });
    assert.deepEqual(await apply(within), []);
    assert.equal((await apply(file(chat('')))).length, 1);
    assert.deepEqual(await settings(), {});
    assert.deepEqual(await apply(file(chat(''))), []);
    await assert.rejects(async () => apply(file(chat(', hours: night'))), /invalid calendar: night/);
  });

  test('an integration gets the report that its entry names, and keeps its date when the file is applied again', async () => {
    const { app, apply, file, project } = given();
    const chat = (more: string) =>
      file(`    integrations: [{ kind: slack, name: Chat, url: "https://hooks.example/a"${more} }]`);
    const due = async () => {
      const [channel] = await app.deps.store.channels.ofProject((await project()).id);
      const all = await app.deps.store.channels.dueReports(Number.MAX_SAFE_INTEGER, 100);
      return all.find(({ id }) => id === channel?.id);
    };

    await apply(chat(', report: daily'));
    await queueChannelReports(app.deps);
    const before = await due();
    assert.equal(before?.period, 'daily');
    assert.deepEqual(await apply(chat(', report: daily')), []);
    assert.deepEqual(await due(), before);
    await apply(chat(''));

    assert.equal(await due(), undefined);
    await assert.rejects(async () => apply(chat(', report: hourly')), /report/);
  });

  test('status pages, walls, views, dialects, tokens of other programs and of accounts are made, changed, left alone and pruned', async () => {
    const { app, unique, email, secret, file, apply, project } = given();
    const parts = (
      title: string,
      n: number,
    ) => `    dialects: { kuma: true, cronitor: { create: true, keys: [cronitor-${unique}] } }
    status_pages:
      - { slug: public-${unique}, title: ${title}, tz: Europe/Riga, published: true, components: [{ name: Backups, group: Data, tag: backup }, { name: Mail, check: mail }] }
    walls: [{ name: Kitchen, token: ${secret('hcd', n)} }]
    views: [{ name: Broken, owner: ${email}, query: "status=down", shared: ${n === 0} }]`;
    const tokens = (scopes: string) =>
      `tokens: [{ account: ${email}, name: CI, scopes: [${scopes}], projects: [Alpha], secret: ${secret('hct')} }]`;
    const first = file(parts('Our jobs', 0), tokens('checks.edit'));

    const made = await apply(first);
    assert.deepEqual(made.slice(-6), [
      'created alias Alpha/cronitor',
      'created alias Alpha/mail/kuma',
      `created status page Alpha/public-${unique}`,
      'created wall Alpha/Kitchen',
      `created view Alpha/${email}/Broken`,
      `created token ${email}/CI`,
    ]);
    assert.deepEqual(await apply(first), []);
    const page = await app.deps.store.statusPages.published(`public-${unique}`);
    assert.deepEqual(
      page?.components.map(({ name, group }) => [name, group]),
      [
        ['Backups', 'Data'],
        ['Mail', ''],
      ],
    );

    const second = file(parts('All jobs', 1), tokens('checks.view, checks.edit'));
    const changes = [
      `updated status page Alpha/public-${unique}: title`,
      'updated wall Alpha/Kitchen: token',
      `updated view Alpha/${email}/Broken: shared`,
      `updated token ${email}/CI: scopes`,
    ];
    assert.deepEqual(await apply(second, { isDryRun: true }), changes);
    assert.deepEqual(await apply(second), changes);
    assert.deepEqual(await apply(second), []);

    const nothing = file('', '').replace(/, aliases: \[.*?\]/, '');
    assert.deepEqual(await apply(nothing), []);
    assert.deepEqual(await apply(nothing, PRUNE), [
      `removed status page Alpha/public-${unique}`,
      'removed wall Alpha/Kitchen',
      `removed view Alpha/${email}/Broken`,
      'removed alias Alpha/cronitor',
      'removed alias Alpha/mail/kuma',
      `removed token ${email}/CI`,
    ]);
    const { id } = await project();
    assert.deepEqual(await app.deps.store.walls.ofProject(id), []);
    assert.deepEqual(await apply(nothing, PRUNE), []);
  });

  test('policies and what uses them are made, changed, left alone and pruned', async () => {
    const { app, email, file, apply, project } = given();
    const parts = (
      wait: number,
      tags: string,
    ) => `    integrations: [{ kind: email, name: Phone, email: ${email} }]
    policies: [{ name: night, wait: ${wait}, then: [{ after: 1800, tell: [Phone] }] }, { name: loud, again: 600 }]
    policy: night
    tags: [${tags}]`;
    const first = file(parts(900, '{ tag: db, policy: loud }, { tag: web, policy: patient }'));

    const made = await apply(first);
    for (const line of ['created policy Alpha/night', 'created policy Alpha/loud'])
      assert.ok(made.includes(line), made.join('\n'));
    assert.deepEqual(await apply(first), []);
    const { id } = await project();
    const known = await app.deps.store.policies.ofProject(id);
    assert.deepEqual(
      known.map(({ name, isDefault }) => [name, isDefault]),
      [
        ['night', true],
        ['loud', false],
        ['patient', false],
      ],
    );
    const tagged = await app.deps.store.policies.tagsOf(id);
    assert.deepEqual(
      tagged.map(({ tag, policy }) => [tag, policy]),
      [
        ['db', 'loud'],
        ['web', 'patient'],
      ],
    );

    const second = file(parts(0, '').replace('wait: 0, ', ''));
    const changes = ['updated policy Alpha/night: wait', 'updated project Alpha: tags'];
    assert.deepEqual(await apply(second, { isDryRun: true }), changes);
    assert.deepEqual(await apply(second), changes);
    assert.deepEqual(await apply(second), []);

    const nothing = file('');
    assert.deepEqual(await apply(nothing), []);
    assert.deepEqual((await apply(nothing, PRUNE)).toSorted(), [
      'removed integration Alpha/email/Phone',
      'removed policy Alpha/loud',
      'removed policy Alpha/night',
    ]);
    assert.deepEqual(
      (await app.deps.store.policies.ofProject(id)).map(({ name }) => name),
      ['patient'],
    );
  });

  test('a policy or calendar that a file cannot make is refused with its line, and nothing is applied', async () => {
    const { app, email, file, apply } = given();
    const cases: [string, RegExp][] = [
      ['    policies: [{ name: night, then: [{ after: 60, tell: [Nobody] }] }]', /identifier: Nobody/],
      ['    policies: [{ name: at-once }]', /at-once has no rules/],
      ['    policy: nobody', /invalid policy: nobody/],
      ['    tags: [{ tag: db, policy: nobody }]', /invalid policy: nobody/],
    ];
    for (const [entry, reason] of cases)
      await assert.rejects(
        apply(file(entry)),
        (error) => error instanceof ProvisionError && error.line === 9 && reason.test(error.message),
        entry,
      );
    for (const [entry, reason] of [
      ['    policies: [{ name: night, agian: 60 }]', /tocsin.yaml:9: .*agian/],
      ['    policies: [{ name: night, again: 5 }]', /tocsin.yaml:9: .*again is too small/],
      ['    calendars: [{ name: day, schedule: "99 * * * *", duration: 60 }]', /tocsin.yaml:9: .*schedule/],
      ['    calendars: [{ name: day, schedule: "0 8 * * *" }]', /duration is missing/],
    ] as const)
      await assert.rejects(async () => apply(file(entry)), reason);
    assert.equal(await app.deps.store.accounts.byEmail(email), null);
    for (const [entry, reason] of [
      ['    policies: [{ name: night, wait: 5 }]', /policies\[0\]: policy\.wait is too small/],
      ['    policies: [{ name: night, patience: 5 }]', /patience is not known/],
      ['    policies: [{ wait: 60 }]', /name is missing/],
      ['    policies: [{ name: a }, { name: a }]', /policy a is declared/],
    ] as const)
      await assert.rejects(async () => apply(file(entry)), reason);
  });

  test('a file with every entry about who is told when changes nothing the second time, nor here or elsewhere as it is exported', async () => {
    const { app, unique, email, apply, project } = given();
    const content = `source: ${unique}
accounts: [{ email: ${email} }]
projects:
  - name: Alpha
    owner: ${email}
    policy: twice
    policies: [{ name: night, wait: 900, again: 3600, then: [{ after: 1800, tell: [Phone] }] }]
    calendars: [{ name: working-hours, schedule: "Mon..Fri 08:00", tz: Europe/Riga, duration: 36000, except: [2026-12-24] }]
    tags: [{ tag: db, policy: night }, { tag: web, as_one: true }]
    quiet_times: [{ name: sunday, tags: web, schedule: "Sun 01:00", tz: Europe/Riga, duration: 14400 }]
    integrations:
      - { kind: ntfy, name: Phone, topic: ${unique}, hours: working-hours, buttons: pause, report: daily }
      - { kind: slack, name: Chat, url: "https://hooks.example/${unique}", together_above: 5 }
    checks:
      - { slug: router }
      - { slug: shop, policy: keep-reminding, parents: [router], done: [Chat], integrations: "*", run_rules: { begin_within: 300, end_within: 21600, exit_map: "24=warn" } }
`;
    assert.ok((await apply(content)).length > 8);
    assert.deepEqual(await apply(content), []);

    const exported = async (deps: Deps, uuid: string) => {
      const all = await readInstallation(deps, 'Alpha');
      const projects = all.projects.filter((one) => one.project.uuid === uuid);
      const owners = new Set(projects.map((one) => one.owner));
      const accounts = all.accounts.filter(({ account }) => owners.has(account.email));
      const { files, secrets } = exportInstallation(
        { ...all, sources: [unique], accounts, projects },
        deps.defaultLimits,
      );
      return { text: joinedText(files), variables: Object.fromEntries(secrets) };
    };
    const here = await exported(app.deps, (await project()).uuid);
    const applied = async (deps: Deps) =>
      changeLines(await provision(deps, parseProvisionFile('tocsin.yaml', here.text, here.variables)));
    assert.deepEqual(await applied(app.deps), []);

    await using elsewhere = await startTestApp(engine);
    await applied(elsewhere.deps);
    assert.deepEqual(await applied(elsewhere.deps), []);
    const owner = (await elsewhere.deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [there = assert.fail()] = await elsewhere.deps.store.projects.byOwnerAndName(owner.id, 'Alpha');
    assert.equal((await exported(elsewhere.deps, there.uuid)).text, here.text);
  });

  test('quiet times are made, changed, left alone and pruned', async () => {
    const { app, file, apply, project } = given();
    const sunday = (duration: number) =>
      `{ name: sunday, tags: backup, schedule: "Sun 01:00", tz: Europe/Riga, duration: ${duration} }`;
    const move = `{ name: move, reason: to the new machine, checks: [other], from: "${toIsoSeconds(START + HOUR)}", duration: 7200 }`;
    const first = file(`    quiet_times: [${sunday(14_400)}, ${move}]`);

    const made = await apply(first);

    assert.deepEqual(made.slice(-2), ['created quiet time Alpha/sunday', 'created quiet time Alpha/move']);
    assert.deepEqual(await apply(first), []);
    const actor = systemActor((await project()).id);
    const known = async () =>
      (await listQuietTimes(app.deps, actor)).map(({ name, tags, reason, checkIds, durationSeconds }) => ({
        ...{ name, tags, reason, checks: checkIds.length, durationSeconds },
      }));
    assert.deepEqual(await known(), [
      { name: 'sunday', tags: 'backup', reason: '', checks: 0, durationSeconds: 14_400 },
      { name: 'move', tags: '', reason: 'to the new machine', checks: 1, durationSeconds: 7200 },
    ]);

    const second = file(`    quiet_times: [${sunday(3600)}]`);
    assert.deepEqual(await apply(second), ['updated quiet time Alpha/sunday: duration']);
    assert.deepEqual(await apply(second), []);
    assert.equal((await known()).length, 2, 'what the file does not name stays');
    assert.deepEqual(await apply(second, PRUNE), ['removed quiet time Alpha/move']);
    assert.deepEqual(
      (await known()).map(({ name }) => name),
      ['sunday'],
    );
  });

  test('a quiet time whose checks are gone is not exported, where it would be about the whole project', async () => {
    const { app, file, apply, project } = given();
    await apply(
      file(`    quiet_times:
      - { name: gone, checks: [other], schedule: "Sun 01:00", duration: 3600 }
      - { name: stays, checks: [other, mail], schedule: "Sun 01:00", duration: 3600 }`),
    );
    const { id, uuid } = await project();
    const other = (await app.deps.store.checks.namesOfProject(id)).find(({ slug }) => slug === 'other');
    await removeCheck(app.deps, systemActor(id), other?.id ?? 0, 'given');

    const all = await readInstallation(app.deps, 'Alpha');
    const own = { ...all, projects: all.projects.filter((one) => one.project.uuid === uuid) };
    const { files, remarks } = exportInstallation(own, app.deps.defaultLimits);

    const text = joinedText(files);
    assert.ok(text.includes('name: "stays"') && !text.includes('name: "gone"'), text);
    assert.ok(remarks.includes('The checks of the quiet time gone of Alpha are gone, and it is left out.'));
  });

  test('a quiet time of a file covers checks at once, and one that somebody has stopped does not begin again', async () => {
    const { app, file, apply, project } = given();
    const move = (duration: number) =>
      file(
        `    quiet_times: [{ name: move, tags: backup, from: "${toIsoSeconds(START - HOUR)}", duration: ${duration} }]`,
      );
    const isQuiet = async () => {
      const check = (await app.deps.store.checks.ofProject((await project()).id)).find(
        ({ slug }) => slug === 'mail',
      );
      return (check?.quietUntilAt ?? 0) > app.deps.clock.now();
    };
    await apply(move(7200));
    assert.equal(await isQuiet(), true);
    const actor = systemActor((await project()).id);
    const [running] = await listQuietTimes(app.deps, actor);
    await stopQuietTime(app.deps, actor, running?.uuid ?? '');

    assert.deepEqual(await apply(move(7200)), []);
    assert.equal(await isQuiet(), false);
    assert.equal((await apply(move(10_800))).length, 1, 'another span is declared');
    assert.equal(await isQuiet(), true);
  });

  test('a quiet time that is over is left as it is, and stays in the file without harm', async () => {
    const { file, apply } = given();
    const over = `{ name: move, from: "${toIsoSeconds(START - 3 * HOUR)}", until: "${toIsoSeconds(START - HOUR)}" }`;
    await apply(file(''));

    assert.deepEqual(await apply(file(`    quiet_times: [${over}]`)), []);
    assert.deepEqual(await apply(file(`    quiet_times: [${over}]`), PRUNE), []);
  });

  test('a quiet time that a file cannot make is refused with its line, and nothing is applied', async () => {
    const { app, email, file, apply } = given();
    const recurring = 'name: night, schedule: "0 1 * * *"';
    const cases: [string, RegExp][] = [
      [`{ ${recurring}, duration: 90000 }`, /longer than the time between/],
      [`{ ${recurring} }`, /duration is missing/],
      [`{ ${recurring}, duration: 60, checks: [nobody] }`, /invalid check: nobody/],
      ['{ name: night, schedule: "0 0 30 2 *", duration: 60 }', /schedule/],
      ['{ name: night, from: "2099-01-01T00:00:00Z", duration: 60 }', /more than a year ahead/],
    ];
    for (const [entry, reason] of cases)
      await assert.rejects(
        apply(file(`    quiet_times: [${entry}]`)),
        (error) => error instanceof ProvisionError && error.line === 9 && reason.test(error.message),
        entry,
      );
    for (const [entry, reason] of [
      [`{ ${recurring}, duration: 5 }`, /tocsin.yaml:9: .*duration is too small/],
      [`{ ${recurring}, length: 60 }`, /length is not known/],
      ['{ schedule: "0 1 * * *", duration: 60 }', /name is missing/],
      ['{ name: night, duration: 60 }', /schedule or from is missing/],
      ['{ name: night, from: tomorrow, duration: 60 }', /from is not a valid time such as/],
      [`{ ${recurring}, duration: 60 }, { ${recurring}, duration: 60 }`, /quiet time night is declared/],
    ] as const)
      await assert.rejects(async () => apply(file(`    quiet_times: [${entry}]`)), reason);
    assert.equal(await app.deps.store.accounts.byEmail(email), null);
  });

  test('walls and tokens without a secret stay if there are any of that name, and are reported otherwise', async () => {
    const { app, email, file, apply, project } = given();
    const content = file(
      '    walls: [{ name: Kitchen }, { name: Hall }]',
      `tokens: [{ account: ${email}, name: CI }]`,
    );
    await apply(file(''));
    const { id } = await project();
    await createWall(app.deps, systemActor(id), 'Kitchen');
    const [before] = await app.deps.store.walls.ofProject(id);

    assert.deepEqual(await apply(content), ['missing wall Alpha/Hall', `missing token ${email}/CI`]);
    assert.deepEqual(await app.deps.store.walls.ofProject(id), [before]);
    assert.deepEqual(
      await apply(file(''), PRUNE),
      ['released wall Alpha/Kitchen'],
      'the file has not made it',
    );
  });

  test('an entry of one source is refused to another, until it takes it over', async () => {
    const { unique, file, apply } = given();
    const page = `    status_pages: [{ slug: page-${unique}, title: One }]`;
    const other = `source: other-${unique}\n${file(page).split('\n').slice(1).join('\n')}`;
    await apply(file(page));

    await assert.rejects(apply(other), ProvisionError);
    const lines = await apply(other, { takesOver: true });

    assert.ok(lines.includes(`updated status page Alpha/page-${unique}: source`), lines.join('\n'));
    assert.deepEqual(await apply(other), []);
  });

  test('a component without a check, a page of others, a view of a stranger and a token in use are refused with their line', async () => {
    const { unique, file, apply } = given();
    const taken = given();
    await taken.apply(taken.file(`    status_pages: [{ slug: page-${unique}, title: One }]`));
    const cases: [string, RegExp][] = [
      [
        `    status_pages: [{ slug: p-${unique}, title: One, components: [{ name: A, check: nobody }] }]`,
        /no check "nobody"/,
      ],
      [
        `    status_pages: [{ slug: p-${unique}, title: One, components: [{ name: A, tag: nobody }] }]`,
        /without checks/,
      ],
      [`    status_pages: [{ slug: p-${unique}, title: One, published: true }]`, /components is empty/],
      [`    status_pages: [{ slug: page-${unique}, title: One }]`, /slug taken/],
      [`    views: [{ name: Broken, owner: ${taken.email}, query: "" }]`, /has no role in the project/],
    ];
    for (const [project, reason] of cases) {
      await assert.rejects(
        apply(file(project)),
        (error) => error instanceof ProvisionError && error.line >= 9 && reason.test(error.message),
        project,
      );
    }
    const token = `mail-${taken.unique}`;
    await assert.rejects(apply(file('').replace(`mail-${unique}`, token)), (error) => {
      assert.ok(error instanceof ProvisionError);
      assert.match(error.message, /already in use elsewhere/);
      assert.doesNotMatch(error.message, new RegExp(token));
      return true;
    });
  });
});

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  test('a file of the first version applies unchanged', async () => {
    const path = join(import.meta.dirname, 'provisioning', 'first-form.yaml');
    const content = await readFile(path, 'utf8');
    const apply = async () => changeLines(await provision(started().deps, parseProvisionFile(path, content)));

    assert.deepEqual(await apply(), [
      'created account alice@example.org',
      'created account bob@example.org',
      'created account eve@example.org',
      'created project Alpha',
      'created integration Alpha/email/Alice mail',
      'created integration Alpha/webhook/Local sink',
      'created check Alpha/nightly-backup',
      'created check Alpha/heartbeat',
      'created check Alpha/6f0e2f5a-0a4e-4b50-9c07-6d8f3c1b2a10',
    ]);
    assert.deepEqual(await apply(), []);
  });
});

test('faults of these entries name their lines, and never a token', () => {
  const faults = (text: string) => {
    try {
      parseProvisionFile('tocsin.yaml', text);
    } catch (error) {
      return error instanceof Error ? error.message.split('\n') : [];
    }
    return [];
  };
  const project = (rest: string) => `projects:
  - name: Alpha
    owner: a@example.org
${rest}`;
  assert.deepEqual(
    faults(
      project(`    walls: [{ name: Kitchen, token: short }, { name: Kitchen }]
    dialects: { kuma: perhaps, cronitor: { keys: ["a b"] } }
    checks:
      - { slug: one, aliases: [{ dialect: kuma, token: twice-1234 }] }
      - { slug: two, aliases: [{ dialect: kuma, token: twice-1234 }] }
      - { slug: three, aliases: [{ dialect: pingdom, token: once-12345 }] }
    status_pages:
      - { slug: "-", title: "" }
      - { slug: page, title: One, components: [{ name: A }] }
    views: [{ name: V, owner: a@example.org, query: "#" }]
tokens:
  - { account: a@example.org, name: CI, secret: x }
  - { account: a@example.org, name: CD, scopes: [everything] }`),
    ),
    [
      'tocsin.yaml:4: projects[0].walls[0]: token is not "hcd_" and 28 letters and digits',
      'tocsin.yaml:4: wall Kitchen is declared on line 4 already',
      'tocsin.yaml:5: projects[0].dialects: kuma is not a boolean',
      'tocsin.yaml:5: projects[0].dialects.cronitor.keys[0]: it does not have 8 to 64 letters, digits, hyphens or underscores',
      'tocsin.yaml:8: a token of kuma is declared on line 7 already',
      'tocsin.yaml:9: projects[0].checks[2].aliases[0]: dialect is not a valid dialect (known: kuma, cronitor)',
      'tocsin.yaml:11: projects[0].status_pages[0]: slug does not match pattern',
      'tocsin.yaml:11: projects[0].status_pages[0]: title is not a valid title',
      'tocsin.yaml:12: projects[0].status_pages[1].components[0]: a component has either a tag or a check',
      'tocsin.yaml:13: projects[0].views[0]: query is not a valid query',
      'tocsin.yaml:15: tokens[0]: scopes are missing',
      'tocsin.yaml:15: tokens[0]: secret is not "hct_" and 28 letters and digits',
      "tocsin.yaml:16: tokens[1]: an item in 'scopes' has unexpected value",
    ],
  );
});
