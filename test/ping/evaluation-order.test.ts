import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import {
  AMBIGUOUS,
  assertAnswer,
  assertUntouched,
  flipsOf,
  givenPingKey,
  INVALID_RID,
  INVALID_URL,
  NOT_FOUND,
  OK,
  signalsOf,
} from './answers.ts';

const UNKNOWN = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

/** Everything can be wrong with one ping; these say which fault is told. */
forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(overrides: Partial<Check> = {}) {
    const { project } = await app().givenProject();
    const key = await givenPingKey(app(), project);
    return { project, key, check: await app().givenCheck(project, { slug: 'job', ...overrides }) };
  }

  test('a slug in upper case is told before an unknown key, an exit status and a run id', async () => {
    assertAnswer(await app().ping('/nobody-has-this-key/JOB/256?rid=bad'), INVALID_URL);
  });

  test('an unknown check is told before an exit status and a run id', async () => {
    const { key } = await given();

    for (const path of [`/${UNKNOWN}/256?rid=bad`, `/${UNKNOWN}?rid=bad`, `/${key}/other/256?rid=bad`])
      assertAnswer(await app().ping(path), NOT_FOUND, path);
  });

  test('an ambiguous slug is told before an exit status and a run id', async () => {
    const { project, key, check } = await given();
    const twin = await app().givenCheck(project, { slug: 'job' });

    assertAnswer(await app().ping(`/${key}/job/256?rid=bad`), AMBIGUOUS);
    assertAnswer(await app().ping(`/${key}/job?rid=bad`), AMBIGUOUS);

    await assertUntouched(app(), check, twin);
  });

  test('an exit status is told before a run id', async () => {
    const { key, check } = await given();

    assertAnswer(await app().ping(`/${check.uuid}/256?rid=bad`), INVALID_URL);
    assertAnswer(await app().ping(`/${key}/job/256?rid=bad`), INVALID_URL);

    await assertUntouched(app(), check);
  });

  test('a run id is told even for pings that would be ignored', async () => {
    const { check } = await given({ methods: 'POST', manualResume: true, status: 'paused' });

    assertAnswer(await app().ping(`/${check.uuid}?rid=bad`), INVALID_RID);

    await assertUntouched(app(), check);
  });

  test('a method that does not count is ignored before keywords are looked for', async () => {
    const { check } = await given({ methods: 'POST', filterHttpBody: true, failureKeywords: 'bad' });

    assertAnswer(await app().ping(`/${check.uuid}`, { method: 'PUT', body: 'bad' }), OK);

    assert.deepEqual(await signalsOf(app(), check), ['ign']);
  });

  test('a paused check that is resumed by hand ignores what keywords say', async () => {
    const { check } = await given({
      status: 'paused',
      manualResume: true,
      filterHttpBody: true,
      filterDefaultFail: true,
      successKeywords: 'good',
    });

    assertAnswer(await app().ping(`/${check.uuid}`, { body: 'good' }), OK);
    assertAnswer(await app().ping(`/${check.uuid}/fail`, { body: 'bad' }), OK);

    assert.deepEqual(await signalsOf(app(), check), ['ign', 'ign']);
    assert.deepEqual(await flipsOf(app(), check), []);
  });

  test('a run id that keywords turn into a start opens that run', async () => {
    const { check } = await given({ filterHttpBody: true, startKeywords: 'begin' });

    assertAnswer(await app().ping(`/${check.uuid}/fail?rid=${UNKNOWN}`, { body: 'begin' }), OK);

    const after = await app().deps.store.checks.byUuid(check.uuid);
    assert.deepEqual([after?.status, after?.lastStartRid], ['new', UNKNOWN]);
  });
});
