import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { Signal } from '../../src/domain/ping/ping.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertAnswer, flipsOf, lastBody, lastPing, OK, signalsOf, state, stored } from './answers.ts';

const RID = '9f2a3a37-1f4d-4a3b-8a44-000000000001';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenCheck(overrides: Partial<Check>) {
    const { project } = await app().givenProject();
    return app().givenCheck(project, overrides);
  }

  test('where only POST counts, a GET is answered OK and ignored', async () => {
    const check = await givenCheck({ methods: 'POST' });

    assertAnswer(await app().ping(`/${check.uuid}`), OK);

    assert.deepEqual(await signalsOf(app(), check), ['ign']);
    assert.deepEqual(await state(app(), check, 'status', 'lastPingAt', 'pingCount', 'deadlineAt'), {
      status: 'new',
      lastPingAt: null,
      pingCount: 1,
      deadlineAt: null,
    });
  });

  test('where only POST counts, HEAD, PUT and PATCH are ignored and POST is not', async () => {
    const check = await givenCheck({ methods: 'POST' });

    for (const method of ['HEAD', 'PUT', 'PATCH', 'POST']) await app().ping(`/${check.uuid}`, { method });

    assert.deepEqual(await signalsOf(app(), check), ['ign', 'ign', 'ign', 'success']);
  });

  test('where only POST counts, a GET of /fail changes nothing', async () => {
    const check = await givenCheck({ methods: 'POST', status: 'up', lastPingAt: app().clock.now() });

    assertAnswer(await app().ping(`/${check.uuid}/fail`), OK);

    assert.deepEqual(await signalsOf(app(), check), ['ign']);
    assert.deepEqual(await flipsOf(app(), check), []);
    assert.equal((await stored(app(), check)).status, 'up');
  });

  test('where only POST counts, a GET of /start begins no run', async () => {
    const check = await givenCheck({ methods: 'POST' });

    assertAnswer(await app().ping(`/${check.uuid}/start`), OK);

    assert.deepEqual(await state(app(), check, 'lastStartAt', 'deadlineAt'), {
      lastStartAt: null,
      deadlineAt: null,
    });
  });

  test('an ignored ping is listed with its body, run id and exit status', async () => {
    const { project, key } = await app().givenProject();
    const check = await app().givenCheck(project, { methods: 'POST' });

    assertAnswer(await app().ping(`/${check.uuid}/3?rid=${RID}`, { method: 'GET', body: 'kept' }), OK);

    const { signal, exitStatus, rid } = await lastPing(app(), check);
    assert.deepEqual([signal, exitStatus, rid], ['ign', 3, RID]);
    assert.deepEqual(await lastBody(app(), check), Buffer.from('kept'));
    const list = await app().request('GET', `/api/v3/checks/${check.uuid}/pings/`, { key });
    const { pings } = list.json as { pings: { type: string; rid: string; body_url: string }[] };
    assert.equal(pings[0]?.type, 'ign');
    assert.equal(pings[0]?.rid, RID);
    assert.equal(pings[0]?.body_url, `http://testserver/api/v3/checks/${check.uuid}/pings/1/body`);
  });

  const filtered = { filterHttpBody: true };
  const SUCCESS = { ...filtered, successKeywords: 'SUCCESS' };
  const ALL = { ...filtered, successKeywords: 'SUCCESS', failureKeywords: 'FAIL', startKeywords: 'START' };
  const DEFAULT_FAIL = { filterDefaultFail: true };

  interface Row {
    name: string;
    check: Partial<Check>;
    path?: string;
    body?: string | Uint8Array;
    method?: string;
    signal: Signal;
  }
  const rows: Row[] = [
    { name: 'a success keyword in the body', check: SUCCESS, body: 'SUCCESS!', signal: 'success' },
    { name: 'no keyword in the body', check: SUCCESS, body: 'hello', signal: 'ign' },
    { name: 'a keyword in the wrong case', check: SUCCESS, body: 'success', signal: 'ign' },
    { name: 'a start keyword in the body', check: ALL, body: 'STARTING', signal: 'start' },
    { name: 'failure and success keywords', check: ALL, body: 'SUCCESS, no: FAIL', signal: 'fail' },
    { name: 'success and start keywords', check: ALL, body: 'START, SUCCESS', signal: 'success' },
    {
      name: 'no keyword where that is a failure',
      check: { ...ALL, ...DEFAULT_FAIL },
      body: 'x',
      signal: 'fail',
    },
    { name: 'no body where that is a failure', check: { ...ALL, ...DEFAULT_FAIL }, signal: 'fail' },
    { name: 'no body', check: ALL, signal: 'ign' },
    {
      name: 'a keyword between blanks',
      check: { ...filtered, successKeywords: 'a, b ,,c' },
      body: 'xbx',
      signal: 'success',
    },
    {
      name: 'an empty piece of the list',
      check: { ...filtered, successKeywords: 'a, b ,,c' },
      body: 'x , x',
      signal: 'ign',
    },
    {
      name: 'a keyword with a blank inside',
      check: { ...filtered, successKeywords: ' all done ' },
      body: 'all done',
      signal: 'success',
    },
    {
      name: 'that blank left out',
      check: { ...filtered, successKeywords: ' all done ' },
      body: 'alldone',
      signal: 'ign',
    },
    {
      name: 'a list of commas',
      check: { ...filtered, failureKeywords: ',, ,' },
      body: ', ,',
      signal: 'ign',
    },
    { name: 'no keywords at all', check: filtered, body: 'anything', signal: 'ign' },
    {
      name: 'no keywords at all where that is a failure',
      check: { ...filtered, ...DEFAULT_FAIL },
      body: 'anything',
      signal: 'fail',
    },
    {
      name: '/fail with a success keyword',
      check: ALL,
      path: '/fail',
      body: 'SUCCESS',
      signal: 'success',
    },
    { name: '/start with a failure keyword', check: ALL, path: '/start', body: 'FAIL', signal: 'fail' },
    {
      name: 'exit status 0 with a failure keyword',
      check: ALL,
      path: '/0',
      body: 'FAIL',
      signal: 'fail',
    },
    { name: '/log without a keyword', check: ALL, path: '/log', body: 'x', signal: 'ign' },
    {
      name: 'a keyword beyond the limit',
      check: SUCCESS,
      body: `${'x'.repeat(10_000)}SUCCESS`,
      signal: 'ign',
    },
    {
      name: 'a keyword half beyond the limit',
      check: SUCCESS,
      body: `${'x'.repeat(9_994)}SUCCESS`,
      signal: 'ign',
    },
    {
      name: 'a keyword just within the limit',
      check: SUCCESS,
      body: `${'x'.repeat(9_993)}SUCCESS!`,
      signal: 'success',
    },
    {
      name: 'bytes that are no UTF-8',
      check: SUCCESS,
      body: Buffer.from([0xff, 0xc3, 0x28]),
      signal: 'ign',
    },
    {
      name: 'a keyword among bytes that are no UTF-8',
      check: SUCCESS,
      body: Buffer.concat([Buffer.from([0xff, 0]), Buffer.from('SUCCESS'), Buffer.from([0xc3])]),
      signal: 'success',
    },
    {
      name: 'a character cut by the limit',
      check: SUCCESS,
      body: `SUCCESS${'x'.repeat(9_992)}ü`,
      signal: 'success',
    },
    {
      name: 'a keyword of another script',
      check: { ...filtered, failureKeywords: '完了, Störung' },
      body: 'eine Störung',
      signal: 'fail',
    },
    {
      name: 'where only subjects are filtered',
      check: { filterSubject: true, filterBody: true, filterDefaultFail: true, successKeywords: 'SUCCESS' },
      body: 'hello',
      signal: 'success',
    },
    {
      name: 'GET where only POST counts, and no keyword is a failure',
      check: { ...ALL, ...DEFAULT_FAIL, methods: 'POST' },
      method: 'GET',
      body: 'FAIL',
      signal: 'ign',
    },
  ];
  for (const { name, check: overrides, path = '', body, method, signal } of rows) {
    test(`${name} is ${signal === 'ign' ? 'ignored' : `a ${signal}`}`, async () => {
      const check = await givenCheck(overrides);

      const options = { ...(body !== undefined && { body }), ...(method !== undefined && { method }) };
      assertAnswer(await app().ping(`/${check.uuid}${path}`, options), OK);

      assert.deepEqual(await signalsOf(app(), check), [signal]);
    });
  }

  test('a failure keyword in the body takes the check down, as a failure', async () => {
    const check = await givenCheck(ALL);

    assertAnswer(await app().ping(`/${check.uuid}`, { body: 'FAIL!' }), OK);

    assert.deepEqual(await signalsOf(app(), check), ['fail']);
    assert.deepEqual(await flipsOf(app(), check), ['new→down fail']);
  });

  test('an exit status is stored whatever the keywords say', async () => {
    const check = await givenCheck(ALL);

    assertAnswer(await app().ping(`/${check.uuid}/3`, { body: 'SUCCESS' }), OK);

    const { signal, exitStatus } = await lastPing(app(), check);
    assert.deepEqual([signal, exitStatus], ['success', 3]);
  });
});
