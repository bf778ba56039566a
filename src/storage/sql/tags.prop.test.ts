import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { forEachEngine, openTestDatabase, type TestStore } from '../../../test/engines.ts';
import { accountRecord, checkRecord, projectRecord } from '../../../test/records.ts';
import type { Check } from '../../domain/check/check.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { allTags } from '../../domain/public/badge.ts';
import type { Writes } from '../store.ts';
import { rolledBack } from './prop.test-support.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20240301;
const RUNS = 60;

/** Few words, so that checks share them; with all the white space that may stand around a tag. */
const word = fc.constantFrom('a', 'b', 'B', 'a,b', 'ä', '日本', '\u{1F600}', '\uFF5E', '%', '*');
const blank = fc.constantFrom(' ', '  ', '\t', '\u00a0', '\u2003', '\ufeff', '\n');
const tags = fc
  .array(fc.oneof(word, blank, fc.constant(' ')), { maxLength: 8 })
  .map((parts) => parts.join(''));

type Step = { readonly kind: 'add' | 'edit' | 'delete'; readonly at: number; readonly tags: string };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('add', 'add', 'edit', 'delete'),
  at: fc.nat({ max: 9 }),
  tags,
});

async function take(tx: Writes, projectId: number, checks: Check[], { kind, at, tags }: Step): Promise<void> {
  const index = checks.length === 0 ? -1 : at % checks.length;
  const check = checks[index];
  if (kind === 'add') checks.push(await tx.checks.insert(checkRecord(projectId, { tags })));
  else if (check !== undefined && kind === 'edit') {
    checks[index] = { ...check, tags };
    await tx.checks.saveConfig({ ...check, tags });
  } else if (check !== undefined) {
    await tx.checks.delete(check);
    checks.splice(index, 1);
  }
}

async function requireAgreement(tx: Writes, projectId: number, checks: readonly Check[]): Promise<void> {
  const ids = (found: readonly { id: number }[]) => found.map(({ id }) => id);
  const known = allTags(checks);
  assert.deepEqual(await tx.checks.tagsOfProject(projectId), known);
  for (const wanted of [...known.map((tag) => [tag]), known.slice(0, 2), known, ['nobody has it'], ['\0']]) {
    const expected = checks.filter(({ tags }) => wanted.every((tag) => splitTags(tags).includes(tag)));
    const filter = { slug: null, tags: wanted };
    assert.deepEqual(ids(await tx.checks.outlinesOf(projectId, filter)), ids(expected), `${wanted}`);
    const [tag] = wanted;
    if (tag === undefined || wanted.length > 1) continue;
    assert.deepEqual(ids(await tx.checks.timedPage(projectId, 0, 100, tag)), ids(expected), tag);
    assert.deepEqual(ids(await tx.checks.timedPage(projectId, 0, 1, tag)), ids(expected).slice(0, 1));
  }
}

forEachEngine((engine) => {
  let opened: TestStore;
  before(async () => {
    opened = await openTestDatabase(engine);
  });
  after(() => opened[Symbol.asyncDispose]());

  test('checks are found by the tags that they have now, whatever was done to them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), (steps) =>
        rolledBack(opened.store, async (tx) => {
          const account = await tx.accounts.insert(accountRecord());
          const project = await tx.projects.insert(projectRecord(account.id));
          const other = await tx.projects.insert(projectRecord(account.id));
          await tx.checks.insert(checkRecord(other.id, { tags: 'a b ä' }));
          const checks: Check[] = [];
          for (const one of steps) await take(tx, project.id, checks, one);
          await requireAgreement(tx, project.id, checks);
        }),
      ),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test('a check is given no tags through another project', async () => {
    await rolledBack(opened.store, async (tx) => {
      const account = await tx.accounts.insert(accountRecord());
      const project = await tx.projects.insert(projectRecord(account.id));
      const other = await tx.projects.insert(projectRecord(account.id));
      const check = await tx.checks.insert(checkRecord(project.id, { tags: 'ours' }));

      await tx.checks.saveConfig({ ...check, projectId: other.id, tags: 'theirs' });

      assert.deepEqual(await tx.checks.tagsOfProject(project.id), ['ours']);
      assert.deepEqual(await tx.checks.tagsOfProject(other.id), []);
    });
  });
});
