import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLines, isDifference } from '../../src/cli/differences.ts';
import { parseProvisionFile } from '../../src/provision/parse.ts';
import { provision } from '../../src/services/provisioning/provision.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertStatus, checkOf } from './answers.ts';

const RULES = { begin_within: 300, end_within: 21_600, exit_map: '24=warn' };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(rules?: unknown) {
    const { key, readOnlyKey, project } = await app().givenProject();
    const post = (path: string, body: unknown, version = 3) =>
      app().request('POST', `/api/v${version}/checks/${path}`, { key, body });
    const get = async (version: number, by = key) => {
      const reply = await app().request('GET', `/api/v${version}/checks/`, { key: by });
      assertStatus(reply, 200);
      const [check] = (reply.json as { checks: Record<string, unknown>[] }).checks;
      return check ?? assert.fail();
    };
    const made = checkOf(await post('', { name: 'db', ...(rules !== undefined && { run_rules: rules }) }));
    return { key, readOnlyKey, project, post, get, made, uuid: String(made.uuid) };
  }

  test('rules stand at the end of a check in version 3, where there are some', async () => {
    const { made, get, readOnlyKey } = await given(RULES);

    assert.deepEqual(made.run_rules, RULES);
    assert.equal(Object.keys(made).at(-1), 'run_rules');
    for (const key of [undefined, readOnlyKey]) {
      assert.deepEqual((await get(3, key)).run_rules, RULES);
      assert.equal(Object.keys(await get(3, key)).at(-1), 'run_rules');
      for (const version of [1, 2]) assert.equal('run_rules' in (await get(version, key)), false);
    }
    const plain = await given();
    assert.equal('run_rules' in plain.made, false);
  });

  test('rules are merged by key, and null takes them away', async () => {
    const { post, uuid } = await given(RULES);
    const change = async (rules: unknown) => checkOf(await post(uuid, { run_rules: rules })).run_rules;

    assert.deepEqual(await change({ early: 60, exit_map: null }), {
      begin_within: 300,
      end_within: 21_600,
      early: 60,
    });
    assert.deepEqual(checkOf(await post(uuid, { grace: 60 })).run_rules, await change({}));
    assert.equal(await change(null), undefined);
  });

  test('rules that are wrong or contradict each other are refused, and nothing is changed', async () => {
    const { post, get, uuid } = await given(RULES);
    for (const [rules, error] of [
      [{ again: 1 }, 'run_rules has an unknown key "again"'],
      [{ end_within: 5 }, 'run_rules.end_within is too small'],
      [{ exit_map: '300=ok' }, 'run_rules.exit_map: "300" is above 255'],
      [{ min_run_time: 21_600 }, 'run_rules.min_run_time is not below run_rules.end_within'],
      ['soon', 'run_rules is not an object'],
    ] as const) {
      const reply = await post(uuid, { name: 'other', run_rules: rules });
      assertStatus(reply, 400);
      assert.deepEqual(reply.json, { error: `json validation error: ${error}` });
    }
    assert.deepEqual([(await get(3)).name, (await get(3)).run_rules], ['db', RULES]);
  });

  test('older versions of the API neither set nor remove rules', async () => {
    const { post, get, uuid } = await given(RULES);
    for (const version of [1, 2])
      assertStatus(await post(uuid, { run_rules: null, grace: 90 }, version), 200);

    assert.deepEqual((await get(3)).run_rules, RULES);
  });

  test('a file declares rules, and changes nothing the second time', async () => {
    const owner = `${app().deps.random.uuid()}@example.org`;
    const text = (rules: string) => `accounts: [{ email: ${owner} }]
projects:
  - name: Alpha
    owner: ${owner}
    checks: [{ slug: nightly, run_rules: ${rules} }]
`;
    const apply = async (rules: string) => {
      const changes = await provision(app().deps, parseProvisionFile('tocsin.yaml', text(rules)), {});
      return changes.filter(isDifference);
    };
    const rules = '{ begin_within: 300, end_within: 21600, numbers: [{ name: rows, min: 1 }] }';

    assert.notDeepEqual(await apply(rules), []);
    assert.deepEqual(await apply(rules), []);
    assert.match(changeLines(await apply('{ begin_within: 600 }')).join('\n'), /run_rules/);
    assert.throws(
      () => parseProvisionFile('tocsin.yaml', text('{ begin_within: 1 }')),
      /run_rules\.begin_within/,
    );
  });
});
