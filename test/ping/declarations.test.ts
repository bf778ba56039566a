import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Check } from '../../src/domain/check/check.ts';
import {
  type DeclarationMode,
  decodeNotes,
  disputeIn,
  parametersIn,
} from '../../src/domain/check/job-declaration.ts';
import { decodeSources } from '../../src/domain/check/sources.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { seconds } from '../../src/lib/instant.ts';
import { parseProvisionFile } from '../../src/provision/parse.ts';
import { updateCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { setDialects } from '../../src/services/ping/aliases.ts';
import { setDeclarationMode } from '../../src/services/ping/declarations.ts';
import { provision } from '../../src/services/provisioning/provision.ts';
import { drain, FakeSender, newNotifier } from '../alerts.ts';
import { sharedTestApp, startTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { form } from '../form.ts';
import { storedChecks } from '../records.ts';
import { deliver } from '../smtp/dialogue.ts';
import { DOMAIN, sharedSmtp } from '../smtp/smtp-app.ts';
import { givenPingKey } from './answers.ts';

const NIGHTLY = 'schedule=0+3+*+*+*&tz=Europe/Riga&grace=1h&tags=db,prod';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);
  const smtp = sharedSmtp(app);

  async function given(mode: DeclarationMode) {
    const { project, ownerId } = await app().givenProject();
    await setDeclarationMode(app().deps, systemActor(project.id), mode);
    const key = await givenPingKey(app(), project);
    /** Status and header of the answer to a ping. */
    const ping = async (path: string, init: { from?: string } = {}) => {
      const { status, headers } = await app().ping(path, {
        headers: init.from === undefined ? {} : { 'x-forwarded-for': init.from },
      });
      return [status, headers['check-declaration']];
    };
    const slug = (query: string, init = {}) => ping(`/${key}/job?${query}`, init);
    return { project, ownerId, key, ping, slug, alice: personIn(project) };
  }

  function personIn({ id }: Project) {
    const by = { accountId: null, name: 'alice@example.org', means: 'session', remoteAddr: null } as const;
    return systemActor(id, by);
  }

  async function onlyCheck(project: Project): Promise<Check> {
    const [check, ...others] = await storedChecks(app().deps.store, project);
    assert.ok(check !== undefined && others.length === 0, 'there is one check');
    return check;
  }

  const timingOf = ({ kind, schedule, tz, graceSeconds, tags, timeoutSeconds }: Check) => ({
    kind,
    schedule,
    tz,
    graceSeconds,
    tags,
    timeoutSeconds,
  });

  const notesOf = async ({ id }: Check) =>
    decodeNotes((await app().deps.store.checkNotes.of(id)).declaration);

  const actsOf = async ({ uniqueKey, projectId }: Check) => {
    const page = { after: null, from: null, before: null, most: 1_000 };
    const acts = await app().deps.store.auditLog.page({ projectId }, page);
    return acts.filter(({ subject }) => subject.id === uniqueKey);
  };

  test('where nobody has switched it on, parameters declare nothing', async () => {
    const { project, slug, ping } = await given('off');

    assert.deepEqual(await slug(`create=1&${NIGHTLY}`), [201, 'off']);
    assert.deepEqual(await slug(NIGHTLY), [200, 'off']);
    assert.deepEqual(await slug('rid=7e1f1e0c-35d5-4a2f-9b2c-cd3b6f1b3c55'), [200, undefined]);

    const check = await onlyCheck(project);
    assert.deepEqual([check.name, check.kind, check.pingCount, check.sources], ['job', 'simple', 3, null]);
    assert.deepEqual(await ping(`/${check.uuid}?grace=60`), [200, 'off']);
    assert.deepEqual(await ping(`/${check.uuid}`), [200, undefined]);
  });

  test('with create the first ping makes the check as declared, and later ones change nothing', async () => {
    const { project, slug, ping } = await given('create');
    const channel = await app().givenChannel(project);

    assert.deepEqual(await slug(`create=1&${NIGHTLY}`), [201, 'applied']);
    assert.deepEqual(await slug(`create=1&${NIGHTLY}`), [200, 'same']);
    assert.deepEqual(await slug('schedule=5+4+*+*+*&grace=3600'), [200, 'kept; schedule']);
    assert.deepEqual(await slug('schedule=5+4+*+*+*&grace=3600'), [200, 'kept; schedule']);

    const check = await onlyCheck(project);
    const declared = { kind: 'cron', schedule: '0 3 * * *', tz: 'Europe/Riga', graceSeconds: 3_600 };
    assert.deepEqual(timingOf(check), { ...declared, tags: 'db prod', timeoutSeconds: 86_400 });
    assert.deepEqual(await app().deps.store.checks.channelsOf(check.id), [channel.uuid]);
    const by = Object.entries(decodeSources(check.sources)).map(([field, mark]) => [field, mark.by]);
    assert.deepEqual(Object.fromEntries(by), { timing: 'job', tz: 'job', grace: 'job', tags: 'job' });
    assert.deepEqual(await ping(`/${check.uuid}?grace=120`), [200, 'off']);
    assert.deepEqual(
      (await actsOf(check)).map(({ action, means }) => [action, means]),
      [['check.created', 'job']],
    );
  });

  test('a ping says which integrations its new check gets, and under which name', async () => {
    const { project, key, ping } = await given('create');
    const ops = await app().givenChannel(project, { name: 'Ops' });
    await app().givenChannel(project, { name: 'Others' });

    await ping(`/${key}/job?create=1&name=Nightly+backup&channels=Ops&timeout=2h24m`);

    const check = await onlyCheck(project);
    assert.deepEqual([check.name, check.slug, check.timeoutSeconds], ['Nightly backup', 'job', 8_640]);
    assert.deepEqual(await app().deps.store.checks.channelsOf(check.id), [ops.uuid]);
  });

  test('with follow another declaration changes the check and its deadline, once', async () => {
    const { project, slug } = await given('follow');
    await slug(`create=1&${NIGHTLY}`);
    app().clock.advance({ minutes: 1 });

    assert.deepEqual(await slug('timeout=15m&grace=5m'), [200, 'applied']);

    const check = await onlyCheck(project);
    assert.deepEqual([check.kind, check.timeoutSeconds, check.graceSeconds], ['simple', 900, 300]);
    assert.equal(check.deadlineAt, app().clock.now() + seconds(1_200));
    assert.equal(check.tags, 'db prod');
    const acts = await actsOf(check);
    assert.deepEqual(acts.map(({ action, means }) => [action, means]).sort(), [
      ['check.created', 'job'],
      ['check.updated', 'job'],
    ]);
  });

  test('an equal declaration writes nothing but its ping, however often it comes', async () => {
    const { project, slug } = await given('follow');
    await slug('create=1&timeout=15m&grace=5m');
    const check = await onlyCheck(project);
    const before = { acts: await actsOf(check), notes: await notesOf(check) };
    const revision = async () =>
      (await app().deps.store.checks.revisionByUuid(check.uuid))?.revision ?? assert.fail();
    const grownBy = async (query: string) => {
      const first = await revision();
      for (let n = 0; n < 5; n++) await slug(query);
      return (await revision()) - first;
    };

    assert.equal(await grownBy('grace=5m&timeout=15m'), await grownBy(''));
    const count = form.isLong ? 10_000 : 200;
    const answers = new Set<string>();
    for (let n = 0; n < count; n += 100) {
      const some = await Promise.all(Array.from({ length: 100 }, () => slug('timeout=15m&grace=5m')));
      for (const answer of some) answers.add(String(answer));
    }

    assert.deepEqual([...answers], ['200,same']);
    const after = await onlyCheck(project);
    assert.deepEqual([after.pingCount, after.sources], [count + 11, check.sources]);
    assert.deepEqual({ acts: await actsOf(check), notes: await notesOf(check) }, before);
  });

  test('what a person has set stays until they follow the job again', async () => {
    const { project, slug, alice } = await given('follow');
    await slug(`create=1&${NIGHTLY}`);
    const { id } = await onlyCheck(project);
    await updateCheck(app().deps, alice, id, { edit: { graceSeconds: 7_200 } });
    app().clock.advance({ minutes: 1 });

    assert.deepEqual(await slug(NIGHTLY), [200, 'kept; grace']);
    assert.deepEqual(await slug(NIGHTLY), [200, 'kept; grace']);
    assert.deepEqual(await slug(`${NIGHTLY}&name=Night`), [200, 'kept; grace']);

    const check = await onlyCheck(project);
    assert.deepEqual([check.graceSeconds, check.name], [7_200, 'Night']);
    assert.equal(parametersIn((await notesOf(check)).last?.given ?? '').grace, '1h');
  });

  test('a fault refuses the whole declaration, and the ping counts and alerts', async () => {
    const { project, slug, ping, key } = await given('follow');
    await app().givenChannel(project);
    await slug(`create=1&${NIGHTLY}`);
    const sender = new FakeSender();
    const notifier = newNotifier(app(), sender);
    const before = timingOf(await onlyCheck(project));
    app().clock.advance({ minutes: 1 });

    const [status, refused] = await ping(`/${key}/job/fail?schedule=61+*+*+*+*&grace=2h`);
    assert.equal(status, 200);
    assert.match(String(refused), /^refused; schedule: /);
    assert.deepEqual(await ping(`/${key}/job/fail?schedule=61+*+*+*+*&grace=2h`), [200, refused]);

    const check = await onlyCheck(project);
    assert.deepEqual([check.status, check.pingCount, timingOf(check)], ['down', 3, before]);
    assert.match((await notesOf(check)).refused?.reason ?? '', /^schedule: /);
    await drain({ app: app(), notifier });
    const told = sender.sent.filter(({ event }) => event.check.uuid === check.uuid);
    assert.deepEqual(
      told.map(({ event }) => [event.to, event.reason]),
      [['down', 'fail']],
    );
    assert.deepEqual(await slug(NIGHTLY), [200, 'same']);
    assert.equal((await notesOf(check)).refused, null);
  });

  test('each fault is refused by name, and a check that is created so has the defaults', async () => {
    const faults: [query: string, name: string][] = [
      ['schedule=0+3+*+*+*&timeout=3600', 'schedule'],
      ['tz=Nowhere', 'tz'],
      ['grace=-5', 'grace'],
      ['grace=59', 'grace'],
      ['timeout=366d', 'timeout'],
      ['timeout=', 'timeout'],
      [`tags=${'x'.repeat(501)}`, 'tags'],
      [`name=${'x'.repeat(101)}`, 'name'],
      ['name=%00', 'name'],
      ['channels=nobody', 'channels'],
      [`schedule=${'*'.repeat(101)}`, 'schedule'],
      [`grace=1h&unknown=${'x'.repeat(2_000)}`, 'query'],
    ];

    for (const [query, name] of faults) {
      const { project, slug } = await given('create');
      const [status, header] = await slug(`create=1&${query}`);
      assert.equal(status, 201, query);
      assert.ok(String(header).startsWith(`refused; ${name}: `), `${query}: ${header}`);
      const check = await onlyCheck(project);
      assert.deepEqual([check.name, check.kind, check.pingCount, check.sources], ['job', 'simple', 1, null]);
    }
  });

  test('the header has no line breaks and no other characters than ASCII', async () => {
    const { slug } = await given('create');

    assert.deepEqual(await slug('create=1&tz=%0D%0AX-Evil:%20%C3%A9'), [
      201,
      'refused; tz: there is no time zone "??X-Evil: ?"',
    ]);
  });

  test('by UUID jobs declare only what is followed', async () => {
    const { project, ping } = await given('follow');
    const { uuid, id } = await app().givenCheck(project);

    assert.deepEqual(await ping(`/${uuid}/start?grace=2m`), [200, 'applied']);
    assert.equal((await app().deps.store.checks.byId(id))?.graceSeconds, 120);
    await setDeclarationMode(app().deps, systemActor(project.id), 'off');
    assert.deepEqual(await ping(`/${uuid}?grace=2m`), [200, 'off']);
    await setDeclarationMode(app().deps, systemActor(project.id), 'follow');
    assert.deepEqual(await ping(`/${uuid}?grace=2m`), [200, 'same']);
    await setDeclarationMode(app().deps, systemActor(project.id), 'create');
    assert.deepEqual(await ping(`/${uuid}?grace=3m`), [200, 'off']);
    assert.equal((await app().deps.store.checks.byId(id))?.graceSeconds, 120);
  });

  test('mails declare nothing, whatever they say', async () => {
    const { project, key, slug } = await given('follow');
    await slug(`create=1&${NIGHTLY}`);
    const check = await onlyCheck(project);
    const before = { config: timingOf(check), sources: check.sources, notes: await notesOf(check) };
    const raw = 'From: a@example.org\r\nSubject: ?grace=2m&timeout=1h\r\n\r\ngrace=2m\r\n';
    const local = `${check.uuid}?grace=2m`;

    const taken = await deliver(smtp(), { to: [`${check.uuid}@${DOMAIN}`, `${key}+job@${DOMAIN}`], raw });
    const refused = await deliver(smtp(), { to: [`${local}@${DOMAIN}`], raw });

    assert.ok(
      taken.every((reply) => reply === '250 OK'),
      String(taken),
    );
    assert.match(String(refused), /^550 /);
    const after = await onlyCheck(project);
    assert.equal(after.pingCount, check.pingCount + 2);
    assert.deepEqual(
      { config: timingOf(after), sources: after.sources, notes: await notesOf(after) },
      before,
    );
  });

  test('a late declaration counts unless something newer is known', async () => {
    const { project, slug } = await given('follow');
    const hours = (count: number) => app().clock.advance({ hours: count });
    const grace = async () => (await onlyCheck(project)).graceSeconds / 60;
    const outdated = 'refused; newer pings have come before this one';
    assert.deepEqual(await slug('create=1&grace=10m&age=7200'), [201, 'applied']);
    // It is older than the declaration that made the check.
    assert.deepEqual(await slug('grace=11m&age=3600'), [200, outdated]);
    hours(3);

    assert.deepEqual(await slug('grace=12m&age=3600'), [200, 'applied']);
    assert.equal(await grace(), 12);
    hours(3);
    assert.deepEqual(await slug('grace=12m'), [200, 'same']);
    // The equal declaration was not read, but its ping says that the job has run since.
    assert.deepEqual(await slug('grace=13m&age=3600'), [200, outdated]);
    assert.deepEqual(await slug('grace=-5&age=3600'), [200, outdated]);
    hours(1);
    assert.equal(await grace(), 12);
    assert.deepEqual(await slug('grace=14m'), [200, 'applied']);
    hours(1);
    assert.deepEqual(await slug('grace=14m&age=7200'), [200, 'same']);
    assert.deepEqual(await slug('grace=15m&age=60'), [200, 'applied']);
    assert.equal(await grace(), 15);
  });

  test('a late declaration of before a run that has begun does not change the check', async () => {
    const { project, key, ping, slug } = await given('follow');
    await slug('create=1&grace=10m');
    app().clock.advance({ hours: 1 });
    assert.deepEqual(await ping(`/${key}/job/start?grace=10m`), [200, 'same']);

    const [, answer] = await slug('grace=20m&age=60');

    assert.match(String(answer), /^refused; newer pings/);
    assert.equal((await onlyCheck(project)).graceSeconds, 600);
  });

  test('two jobs that disagree change their check once a minute, and the page names their addresses', async () => {
    const { project, slug } = await given('follow');
    const one = 'timeout=1d&grace=1h';
    const two = 'timeout=12h&grace=2h';
    await slug(`create=1&${one}`, { from: '192.0.2.1' });
    let changes = 0;
    await app().givenChannel(project);
    const sender = new FakeSender();
    const notifier = newNotifier(app(), sender);

    // An hour.
    const count = form.isLong ? 360 : 60;
    for (let n = 0; n < count; n++) {
      app().clock.advance({ seconds: 10 });
      const isOne = n % 2 === 1;
      const [, answer] = await slug(isOne ? one : two, { from: isOne ? '192.0.2.1' : '192.0.2.2' });
      if (answer === 'applied') changes++;
      else assert.match(String(answer), /^(same|refused; another declaration)/);
      if (n % 30 === 0) await drain({ app: app(), notifier });
    }

    // Whoever comes first after a minute, so the two take turns or one of them wins several times.
    assert.ok(changes > 3 && changes <= count / 6, String(changes));
    const check = await onlyCheck(project);
    assert.equal(check.status, 'up');
    await drain({ app: app(), notifier });
    assert.deepEqual(
      sender.sent.filter(({ event }) => event.check.uuid === check.uuid),
      [],
    );
    assert.equal((await actsOf(check)).length, changes + 1);
    const dispute = disputeIn(await notesOf(check), app().clock.now());
    assert.deepEqual(
      dispute.toSorted((a, b) => String(a.from).localeCompare(String(b.from))),
      [
        { from: '192.0.2.1', declared: ['timeout=1d', 'grace=1h'] },
        { from: '192.0.2.2', declared: ['timeout=12h', 'grace=2h'] },
      ],
    );
    assert.deepEqual(disputeIn(await notesOf(check), app().clock.now() + seconds(7_200)), []);
  });

  test('a field of a file is kept from the job, also after the file names it no longer', async () => {
    const { project, ownerId, slug } = await given('follow');
    const owner = await app().deps.store.accounts.byId(ownerId);
    const apply = (fields: string) =>
      provision(
        app().deps,
        parseProvisionFile(
          'tocsin.yaml',
          `projects: [{name: '${project.name}', owner: ${owner?.email}, checks: [{slug: job${fields}}]}]`,
        ),
      );
    await apply(', grace: 600');

    assert.deepEqual(await slug('grace=1h&timeout=1h'), [200, 'kept; grace']);
    await apply('');
    assert.deepEqual(await slug('grace=2h&timeout=1h'), [200, 'kept; grace']);

    const check = await onlyCheck(project);
    assert.deepEqual([check.graceSeconds, check.timeoutSeconds], [600, 3_600]);
    const { grace, timing } = decodeSources(check.sources);
    assert.deepEqual([grace?.by, timing?.by], ['file', 'job']);
  });

  test('a declaration that the server cannot apply is logged once and shown, and the ping counts', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line) => lines.push(line) });
    await using own = await startTestApp(engine, {}, { log });
    const { project } = await own.givenProject();
    await setDeclarationMode(own.deps, systemActor(project.id), 'follow');
    const check = await own.givenCheck(project);
    const breakNotes = () =>
      own.deps.store.transaction((tx) => tx.checkNotes.saveDeclaration(check, 'no notes'));
    const header = async () => (await own.ping(`/${check.uuid}?grace=2m`)).headers['check-declaration'];

    await breakNotes();
    assert.equal(await header(), 'refused; server: it could not be applied');
    const { declaration } = await own.deps.store.checkNotes.of(check.id);
    assert.equal(decodeNotes(declaration).refused?.reason, 'server: it could not be applied');
    await breakNotes();
    assert.equal(await header(), 'refused; server: it could not be applied');
    assert.equal(await header(), 'applied');

    const after = await own.deps.store.checks.byId(check.id);
    assert.deepEqual([after?.pingCount, after?.graceSeconds], [3, 120]);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).event),
      ['ping.declaration_not_applied'],
    );
    assert.ok(!lines.join('').includes(check.uuid));
  });

  test('pings that are ignored declare nothing', async () => {
    const { project, ping } = await given('follow');
    const { uuid, id } = await app().givenCheck(project, { methods: 'POST' });

    assert.deepEqual(await ping(`/${uuid}?grace=2m`), [200, undefined]);
    assert.equal((await app().deps.store.checks.byId(id))?.graceSeconds, 3_600);
  });

  test('addresses of Cronitor declare their schedule, where that is allowed', async () => {
    const { project, key } = await given('follow');
    const actor = systemActor(project.id);
    await setDialects(app().deps, actor, { kuma: false, cronitor: { create: true } });

    const reply = await app().ping(`/${key}/job?state=run&schedule=5+4+*+*+*&grace=2h`, { door: '/p' });

    assert.deepEqual([reply.status, reply.headers['check-declaration']], [201, 'applied']);
    const check = await onlyCheck(project);
    assert.deepEqual([check.schedule, check.graceSeconds], ['5 4 * * *', 3_600]);
  });

  test('browsers of any origin may read the header', async () => {
    const { key } = await given('create');

    const { headers } = await app().ping(`/${key}/job?create=1&grace=1h`);
    const plain = await app().ping(`/${key}/job`);

    const limits = 'Ping-Body-Limit, Ping-Age-Limit';
    assert.equal(headers['access-control-expose-headers'], `${limits}, Check-Declaration`);
    assert.equal(plain.headers['access-control-expose-headers'], limits);
  });

  test('a file switches declarations on, and says so once', async () => {
    const { project, ownerId, slug } = await given('off');
    const owner = await app().deps.store.accounts.byId(ownerId);
    const file = `projects: [{name: '${project.name}', owner: ${owner?.email}, job_declarations: follow}]`;
    const apply = () => provision(app().deps, parseProvisionFile('tocsin.yaml', file));

    const [first, second] = [await apply(), await apply()];

    const told = first.flatMap(({ fields }) => fields.map(({ name, was, became }) => [name, was, became]));
    assert.deepEqual(told, [['job_declarations', 'off', 'follow']]);
    assert.deepEqual(second, []);
    assert.deepEqual(await slug('create=1&grace=2h'), [201, 'applied']);
    assert.throws(() => parseProvisionFile('tocsin.yaml', file.replace('follow', 'sometimes')), /mode/);
  });
});
