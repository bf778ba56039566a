import assert from 'node:assert/strict';
import type { ButtonVerb } from '../../src/domain/alert/button.ts';
import type { Check } from '../../src/domain/check/check.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { seconds } from '../../src/lib/instant.ts';
import { acknowledgeCheck, snoozeCheck } from '../../src/services/alert/answers.ts';
import { buttonsOf } from '../../src/services/alert/buttons.ts';
import { createPolicy, setAlerting } from '../../src/services/alert/policies.ts';
import { updateCheck } from '../../src/services/check/checks.ts';
import { announceQuietTime } from '../../src/services/check/quiet-times.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { drain, FakeSender, newNotifier } from '../../test/alerts.ts';
import type { TestApp } from '../../test/app.ts';
import { givenAccount } from '../../test/dashboard/browser.ts';
import { type Person, signedIn } from '../../test/dashboard/team.ts';
import { projectRecord } from '../../test/records.ts';

const HOUR = seconds(3_600);

/** Projects in which outages are answered, held and waited for. */
export interface Outages {
  readonly judy: Person;
  /** By what their headline tells. */
  readonly headlines: ReadonlyMap<string, Project>;
  /** A check whose form offers all ways to tell. */
  readonly formOf: Check;
  /** Addresses of buttons, by their state. */
  readonly buttons: ReadonlyMap<string, string>;
}

export async function addOutages(app: TestApp): Promise<Outages> {
  const judy = await signedIn(app, await givenAccount(app, { email: 'judy@example.org', name: 'Judy' }));
  const headlines = new Map<string, Project>();
  const given = async (what: string) => {
    const project = await app.deps.store.transaction((tx) =>
      tx.projects.insert(projectRecord(judy.account.id, { name: what })),
    );
    headlines.set(what, project);
    return aProject(app, project);
  };

  const mixed = await given('mixed');
  const [, , third = assert.fail()] = await mixed.down('db-backup', 'invoice-mailer', 'report');
  await mixed.acknowledge(third);
  await mixed.up(0, ...Array.from({ length: 9 }, (_, n) => `job-${n + 1}`));
  await mixed.up(2 * HOUR + seconds(300), 'cert-renewal');
  for (const check of await mixed.up(0, 'tape-rotation', 'old-website')) await mixed.snooze(check);

  const taken = await given('taken');
  for (const check of await taken.down('db-backup')) await taken.acknowledge(check);
  const [formOf = assert.fail()] = await taken.up(0, 'nightly-etl', 'sitemap', 'newsletter');

  const held = await given('held');
  const [router = assert.fail()] = await held.down('router');
  const children = await held.up(0, 'shop', 'search', 'mail-queue');
  for (const { id } of children)
    await updateCheck(app.deps, held.actor, id, { edit: { parents: router.uuid } });
  for (const child of children) await app.receive(child, 'fail');

  const untold = await given('untold');
  await createPolicy(app.deps, untold.actor, 'two', { bad_runs: 2 });
  await setAlerting(app.deps, untold.actor, { policy: 'two', tags: [] });
  await untold.down('db-backup');
  await untold.up(2 * HOUR + seconds(300), 'cert-renewal');

  const silent = await given('silent');
  await silent.up(0, 'sitemap', 'newsletter', 'search-index');
  for (const check of await silent.down('db-backup')) await silent.snooze(check);
  await silent.quiet(...(await silent.up(0, 'web-1', 'web-2')));

  const later = await given('later');
  const next = await app.givenChannel(later.project, { name: 'Phone of Carol' });
  // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
  await createPolicy(app.deps, later.actor, 'boss', { then: [{ after: 2_700, tell: [next.uuid] }] });
  await setAlerting(app.deps, later.actor, { policy: 'boss', tags: [] });
  for (const check of await later.up(2 * HOUR + seconds(300), 'cert-renewal')) await app.assign(check);
  await later.down('db-backup');

  return { judy, headlines, formOf, buttons: await addButtons(app, await given('buttons')) };
}

type Place = ReturnType<typeof aProject>;

function aProject(app: TestApp, project: Project) {
  const actor = systemActor(project.id, { name: 'Anna', accountId: null, means: 'link', remoteAddr: null });
  let channel: ReturnType<TestApp['givenChannel']> | undefined;
  /** Checks that have run so long ago, every two hours. */
  const up = async (ago: number, ...names: string[]): Promise<Check[]> => {
    channel ??= app.givenChannel(project, {
      ...{ kind: 'ntfy', name: 'Ops', settings: { topic: 'ops', buttons: 'pause' } },
    });
    const checks: Check[] = [];
    for (const name of names) {
      const lastPingAt = app.clock.now() - ago;
      const times = { timeoutSeconds: 7_200, graceSeconds: 900, lastPingAt, pingCount: 1 };
      const check = await app.givenCheck(project, { name, slug: name, status: 'up', ...times });
      await app.assign(check, await channel);
      checks.push(check);
    }
    return checks;
  };
  return {
    ...{ project, actor, up },
    down: async (...names: string[]): Promise<Check[]> => {
      const checks = await up(0, ...names);
      for (const check of checks) await app.receive(check, 'fail');
      await drain({ app, notifier: newNotifier(app, new FakeSender()) });
      return checks;
    },
    acknowledge: ({ id }: Check) => acknowledgeCheck(app.deps, actor, id),
    snooze: ({ id }: Check) => snoozeCheck(app.deps, actor, id, { for: 4 * HOUR }),
    quiet: (...checks: readonly Check[]) =>
      announceQuietTime(app.deps, actor, {
        ...{ name: 'deploy 412', reason: 'new release', checks: checks.map(({ uuid }) => uuid), tags: '' },
        ...{ fromAt: null, untilAt: null, durationSeconds: 7_200, schedule: '', tz: 'UTC' },
      }),
  };
}

/** The addresses in messages about checks in each state. */
async function addButtons(app: TestApp, place: Place): Promise<ReadonlyMap<string, string>> {
  const { deps, clock } = app;
  const addressOf = async (check: Check, verb: ButtonVerb, kind: 'message' | 'test' = 'message') => {
    const deliveries = await deps.store.deliveries.ofCheck(check.id, 10);
    const { uuid } = deliveries.at(-1) ?? assert.fail();
    const about = { deliveryUuid: uuid, kind, now: clock.now() } as const;
    return buttonsOf(deps.vault, about, 'pause', '').find((one) => one.verb === verb)?.url ?? assert.fail();
  };
  const [open, pressed, taken, ended] = await place.down('db-backup', 'invoice-mailer', 'report', 'sitemap');
  if (!open || !pressed || !taken || !ended) assert.fail();
  await place.acknowledge(taken);
  await app.receive(ended, 'success');
  const acknowledge = await addressOf(open, 'acknowledge');
  return new Map([
    ['acknowledge', acknowledge],
    ['snooze', await addressOf(open, 'snooze')],
    ['pause', await addressOf(open, 'pause')],
    ['press-snooze', await addressOf(pressed, 'snooze')],
    ['press-acknowledge', await addressOf(pressed, 'acknowledge')],
    ['press-taken', await addressOf(taken, 'acknowledge')],
    ['ended', await addressOf(ended, 'acknowledge')],
    ['test', await addressOf(open, 'acknowledge', 'test')],
    ['wrong', acknowledge.replace('/acknowledge/', '/pause/')],
  ]);
}
