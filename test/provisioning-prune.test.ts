import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLines } from '../src/cli/differences.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { removeCheck } from '../src/services/check/check-deletion.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { createKey } from '../src/services/project/keys.ts';
import { ProvisionError } from '../src/services/provisioning/declaration.ts';
import { type ProvisionOptions, provision } from '../src/services/provisioning/provision.ts';
import { TooManyRemovalsError } from '../src/services/provisioning/prune.ts';
import { sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';

const PRUNE = { prune: { most: null } } as const;
const NTFY = (name: string) => `{ kind: ntfy, name: ${name}, url: https://ntfy.example.org, topic: jobs }`;

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  /** A file of a source with one project, and how to apply it. */
  function given(source = `source-${started().deps.random.uuid()}`) {
    const app = started();
    const email = `${app.deps.random.uuid()}@example.org`;
    const file = (checks: readonly string[], more = '') => `source: ${source}
accounts: [{ email: ${email}, limits: { checks: 100 } }]
projects:
  - name: Alpha
    owner: ${email}
    checks: [${checks.map((slug) => `{ slug: ${slug} }`).join(', ')}]
    ${more}
`;
    const apply = async (content: string, options: ProvisionOptions = {}) =>
      changeLines(await provision(app.deps, parseProvisionFile('tocsin.yaml', content), options));
    const project = async () => {
      const owner = (await app.deps.store.accounts.byEmail(email)) ?? assert.fail();
      const [found] = await app.deps.store.projects.byOwnerAndName(owner.id, 'Alpha');
      return found ?? assert.fail();
    };
    const slugs = async () =>
      (await app.deps.store.checks.namesOfProject((await project()).id)).map(({ slug }) => slug).toSorted();
    return { app, email, source, file, apply, project, slugs };
  }

  test('a check that leaves the file stays, until the file prunes; named again it comes back with its pings', async () => {
    const { app, file, apply, project, slugs } = given();
    await apply(file(['a', 'b', 'c', 'd']));
    const { id } = await project();
    const before = (await app.deps.store.checks.namesOfProject(id)).find(({ slug }) => slug === 'd');
    await app.ping(`/${before?.uuid}`);
    const less = file(['a', 'b', 'c']);

    assert.deepEqual(await apply(less), []);
    assert.deepEqual(await apply(less, { ...PRUNE, isDryRun: true }), ['removed check Alpha/d']);
    assert.deepEqual(await slugs(), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await apply(less, PRUNE), ['removed check Alpha/d']);
    assert.deepEqual(await slugs(), ['a', 'b', 'c']);
    assert.deepEqual(await apply(less, PRUNE), []);

    assert.deepEqual(await apply(file(['a', 'b', 'c', 'd'])), ['updated check Alpha/d: restored']);
    const [back] = (await app.deps.store.checks.namesOfProject(id)).filter(({ slug }) => slug === 'd');
    assert.deepEqual(back, before);
    const [check] = await app.deps.store.checks.byIds([back?.id ?? 0]);
    assert.equal(check?.pingCount, 1);
    assert.deepEqual(
      await apply(less, PRUNE),
      ['removed check Alpha/d'],
      'it is still the one that the file made',
    );
  });

  test('what people have made, and what a file has only taken over, is never removed', async () => {
    const { app, file, apply, project, slugs } = given();
    await apply(file(['a', 'b', 'c']));
    const alpha = await project();
    for (const slug of ['theirs', 'taken']) await app.givenCheck(alpha, { slug });
    await apply(file(['a', 'b', 'c', 'taken']));

    assert.deepEqual(await apply(file(['a', 'b', 'c']), PRUNE), ['released check Alpha/taken']);
    assert.deepEqual(await slugs(), ['a', 'b', 'c', 'taken', 'theirs']);
  });

  test('integrations that leave the file are removed, and checks lose them', async () => {
    const { app, file, apply, project } = given();
    const all = `integrations: [${['One', 'Two'].map(NTFY).join(', ')}]`;
    await apply(file(['a', 'b'], all));

    const changes = await apply(file(['a', 'b'], `integrations: [${NTFY('Two')}]`), PRUNE);

    assert.deepEqual(changes, ['removed integration Alpha/ntfy/One']);
    const { id } = await project();
    assert.deepEqual(
      (await app.deps.store.channels.ofProject(id)).map(({ name }) => name),
      ['Two'],
    );
  });

  test('more than ten, or more than half, is removed only if the number is given', async () => {
    const { file, apply, slugs } = given();
    const many = Array.from({ length: 30 }, (_, n) => `check-${n}`);
    await apply(file(many));
    const refused = (options: ProvisionOptions, count: number, reason: RegExp) =>
      assert.rejects(apply(file(many.slice(count)), options), (error) => {
        assert.ok(error instanceof TooManyRemovalsError && error.removals.length === count, String(error));
        assert.match(error.message, reason);
        return true;
      });

    await refused(PRUNE, 11, /^11 entries would be removed, more than 10$/);
    await refused({ prune: { most: 10 } }, 11, /more than 10$/);
    assert.equal((await slugs()).length, 30);
    assert.equal((await apply(file(many.slice(11)), { prune: { most: 11 } })).length, 11);
    await apply(file(many.slice(20)), { prune: { most: 9 } });
    // The project and ten checks are left: six of eleven are more than half.
    await assert.rejects(apply(file(many.slice(26)), PRUNE), /^TooManyRemovalsError: 6 of 11 entries/);
    assert.equal((await apply(file(many.slice(26)), { prune: { most: 6 } })).length, 6);
  });

  test('a source prunes its own entries alone, and does not declare those of another one unless it takes them over', async () => {
    const one = given();
    const two = given();
    await one.apply(one.file(['a', 'b', 'c']));
    await two.apply(two.file(['x']));
    const foreign = one.file(['a']).replace(one.source, two.source);

    assert.deepEqual(await two.apply(two.file(['x']), PRUNE), []);
    await assert.rejects(
      one.apply(foreign),
      (error) => error instanceof ProvisionError && error.message.includes(`the source "${one.source}"`),
    );
    assert.deepEqual(await one.apply(foreign, { takesOver: true }), [
      'updated project Alpha: source',
      'updated check Alpha/a: source',
    ]);
    assert.deepEqual(await one.apply(foreign), []);
    assert.deepEqual(await one.slugs(), ['a', 'b', 'c']);
    const { id: projectId } = await one.project();
    const page = { after: null, from: null, before: null, most: 10 };
    const acts = await one.app.deps.store.auditLog.page({ projectId }, page);
    assert.deepEqual(
      acts
        .filter(({ action }) => action.endsWith('.taken_over'))
        .map(({ action, details }) => [action, details]),
      ['check.taken_over', 'project.taken_over'].map((action) => [
        action,
        { before: { source: one.source }, after: { source: two.source } },
      ]),
    );
  });

  test('a project that leaves the file goes with all that the file made; with anything of others it is released', async () => {
    const { app, email, source, file, apply, project } = given();
    const rest = ['p', 'q', 'r', 's'].map((slug) => `{ slug: ${slug} }`).join(', ');
    const beta = `source: ${source}\naccounts: [{ email: ${email} }]\nprojects: [{ name: Beta, owner: ${email}, checks: [${rest}] }]\n`;
    const both = file(['a']).trimEnd().concat(`\n  - { name: Beta, owner: ${email}, checks: [${rest}] }\n`);
    await apply(both);
    const alpha = await project();

    assert.deepEqual(await apply(beta, { ...PRUNE, isDryRun: true }), ['removed project Alpha']);
    await app.givenCheck(alpha, { slug: 'theirs' });
    assert.deepEqual(await apply(beta, PRUNE), ['released project Alpha', 'removed check Alpha/a']);
    assert.equal((await project()).deletesAt, null);

    const gamma = both.replace('name: Alpha', 'name: Gamma');
    await apply(gamma);
    assert.deepEqual(await apply(beta, PRUNE), ['removed project Gamma']);
    assert.deepEqual(
      (await apply(gamma)).filter((line) => line.includes('Gamma')),
      ['updated project Gamma: restored'],
    );
  });

  test('a check that a person has put into the bin is restored by the file that declares it', async () => {
    const { app, file, apply, project, slugs } = given();
    await apply(file(['a', 'b']));
    const { id } = await project();
    const [check] = (await app.deps.store.checks.namesOfProject(id)).filter(({ slug }) => slug === 'a');
    await removeCheck(app.deps, systemActor(id), check?.id ?? 0, 'given');

    assert.deepEqual(await apply(file(['a', 'b'])), ['updated check Alpha/a: restored']);
    assert.deepEqual(await slugs(), ['a', 'b']);
  });

  test('named keys are made, replaced, given another end, looked for and removed', async () => {
    const { app, file, apply, project } = given();
    const [one, two] = ['1', '2'].map(
      (end) => `hcw_${app.deps.random.uuid().replaceAll('-', '').slice(0, 27)}${end}`,
    );
    const keys = (terraform: string) =>
      file(['a', 'b', 'c'], `api_keys: [${terraform}, { name: Grafana, kind: read_only }]`);
    const answers = async (key = '') => (await app.request('GET', '/api/v3/checks/', { key })).status;
    const missing = 'missing api key Alpha/Grafana';
    const terraform = (secret = '', expires = '2037-06-01') =>
      `{ name: Terraform, kind: read_write, secret: ${secret}, expires: "${expires}" }`;

    const first = await apply(keys(terraform(one)));
    assert.deepEqual(first.slice(2, 4), ['created api key Alpha/Terraform', missing]);
    assert.deepEqual([await answers(one), await answers(two)], [200, 401]);
    assert.deepEqual(await apply(keys(terraform(one))), [missing]);
    assert.deepEqual(await apply(keys(terraform(one, '2038-06-01'))), [
      'updated api key Alpha/Terraform: expires',
      missing,
    ]);
    assert.deepEqual(await apply(keys(terraform(two))), ['updated api key Alpha/Terraform: secret', missing]);
    assert.deepEqual([await answers(one), await answers(two)], [401, 200]);
    const { id } = await project();
    await createKey(app.deps, systemActor(id), { kind: 'read_only', name: 'Grafana', expiresAt: null });
    assert.deepEqual(await apply(keys(terraform(two))), []);
    assert.deepEqual(await apply(file(['a', 'b', 'c']), PRUNE), ['removed api key Alpha/Terraform']);
    assert.equal(await answers(two), 401);
    assert.deepEqual(
      (await app.deps.store.apiKeys.ofProject(id)).map(({ name }) => name),
      ['Grafana'],
      'the key that a person has made stays',
    );
    assert.deepEqual(
      await apply(keys(terraform(two, '2020-01-01')), PRUNE),
      [],
      'a key that is over is not made',
    );
  });
});
