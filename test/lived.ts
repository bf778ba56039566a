import assert from 'node:assert/strict';
import type { Check } from '../src/domain/check/check.ts';
import type { Project } from '../src/domain/people/project.ts';
import { removeCheck } from '../src/services/check/check-deletion.ts';
import { pauseCheck, undoPauseOfCheck } from '../src/services/check/checks.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { setPingKey } from '../src/services/project/projects.ts';
import { FakeSender, failure, newNotifier, OK } from './alerts.ts';
import type { TestApp } from './app.ts';

export interface Lived {
  readonly project: Project;
  readonly checks: readonly Check[];
  /** Secrets that must be found in no backup. */
  readonly secrets: readonly string[];
}

const BODY = 'the output of a job, which is too long for the row of its ping\n'.repeat(4);

/**
 * Some hours of a project, through the real services: checks go up, down and up again, are paused, deleted and moved, messages
 * are sent, fail and wait.
 */
export async function live(app: TestApp): Promise<Lived> {
  const { deps, clock } = app;
  const { project, key, ownerId } = await app.givenProject();
  const pingKey = 'a-ping-key-of-a-project';
  const authenticator = 'JBSWY3DPEHPK3PXP';
  await deps.store.transaction(async (tx) => {
    await setPingKey(deps, tx, project, pingKey);
    await tx.secondFactors.addAuthenticator(
      { accountId: ownerId, sealedSecret: deps.vault.seal(authenticator), createdAt: clock.now() },
      1,
    );
  });
  const hook = 'https://hooks.slack.com/services/T000/B000/secret-of-slack';
  await app.givenChannel(project, { kind: 'email', settings: { email: 'ops@example.org' } });
  await app.givenChannel(project, { kind: 'slack', settings: { url: hook } });
  const beat = () => deps.store.transaction((tx) => tx.liveness.beat('node', clock.now(), 0));
  await beat();
  const checks: Check[] = [];
  for (let n = 0; n < 5; n++) {
    const config = { name: `Job ${n}`, slug: `job-${n}`, tags: `prod db-${n % 2}`, timeout: 600, grace: 60 };
    const made = await app.request('POST', '/api/v3/checks/', { key, body: { ...config, channels: '*' } });
    assert.equal(made.status, 201, made.text);
    const uuid = new URL(Object(made.json).ping_url).pathname.split('/').at(-1) ?? '';
    const found = await deps.store.checks.byUuid(uuid);
    checks.push(found ?? assert.fail('the check was made'));
  }
  const sender = new FakeSender();
  sender.answer = (_event, settings) =>
    'email' in Object(settings) ? OK : failure('Received status code 503');
  const notifier = newNotifier(app, sender);
  const look = async () => {
    await beat();
    while (await flipOverdue({ ...deps, onPoison: () => undefined }));
    while ((await notifier.tick()) === true) await notifier.settled();
  };
  for (let round = 0; round < 4; round++) {
    for (const [n, { uuid }] of checks.entries()) {
      if (n === 1 && round === 2) continue;
      await app.ping(`/${uuid}/start`);
      clock.advance({ seconds: 3 });
      await app.ping(`/${uuid}${n === 2 && round % 2 === 0 ? '/fail' : ''}`, { body: BODY });
    }
    await app.ping(`/${pingKey}/job-0/log`, { body: 'short' });
    await look();
    clock.advance({ minutes: 8 });
    await look();
  }
  const actor = systemActor(project.id);
  const [, , second, third, fourth] = checks.map(({ id }) => id);
  await pauseCheck(deps, actor, second ?? 0);
  clock.advance({ seconds: 5 });
  await undoPauseOfCheck(deps, actor, second ?? 0);
  await pauseCheck(deps, actor, third ?? 0);
  await removeCheck(deps, actor, fourth ?? 0, 'given');
  clock.advance({ minutes: 20 });
  await look();
  await app.ping(`/${checks[0]?.uuid}`);
  await look();
  return { project, checks, secrets: [hook, pingKey, authenticator] };
}
