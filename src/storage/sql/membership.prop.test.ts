import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { forEachEngine, openTestDatabase, type TestStore } from '../../../test/engines.ts';
import { accountRecord, checkRecord, projectRecord } from '../../../test/records.ts';
import { NOW } from '../../domain/check/check.test-support.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Project } from '../../domain/people/project.ts';
import type { Writes } from '../store.ts';
import { rolledBack } from './prop.test-support.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20240301;
const RUNS = 60;
const ACCOUNTS = 4;

const account = fc.nat({ max: ACCOUNTS - 1 });

/** Accounts by their number. An owner may be named as a member as well. */
const project = fc.record({
  owner: account,
  members: fc.uniqueArray(account, { maxLength: ACCOUNTS }),
  isDeleted: fc.boolean(),
  checks: fc.array(
    fc.record({
      status: fc.constantFrom('up', 'down', 'paused'),
      isPinged: fc.boolean(),
      isExcused: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
});

type Plan = typeof project extends fc.Arbitrary<infer T> ? T : never;

interface StoredProject {
  readonly project: Project;
  readonly members: readonly number[];
  readonly isDeleted: boolean;
  readonly checks: readonly Check[];
}

async function store(tx: Writes, accountIds: readonly number[], plan: Plan): Promise<StoredProject> {
  const idOf = (number: number) => accountIds[number] ?? 0;
  const stored = await tx.projects.insert(projectRecord(idOf(plan.owner)));
  const members = plan.members.map(idOf);
  for (const member of members) await tx.projects.addMember(stored.id, member, 'member', NOW);
  const checks: Check[] = [];
  for (const { status, isPinged, isExcused } of plan.checks) {
    const record = checkRecord(stored.id, {
      status,
      lastReceivedAt: isPinged ? NOW : null,
      excusedUntilAt: isExcused ? NOW + 1 : null,
    });
    checks.push(await tx.checks.insert(record));
  }
  if (plan.isDeleted) await tx.projects.setDeletion(stored.id, NOW);
  return { project: stored, members, isDeleted: plan.isDeleted, checks };
}

async function storeAccounts(tx: Writes): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < ACCOUNTS; index++) {
    const { id } = await tx.accounts.insert(accountRecord({ createdAt: NOW }));
    await tx.mailPreferences.setReminders(id, 3_600);
    ids.push(id);
  }
  return ids;
}

/** The rule itself: a project is its owner's and its members', unless it is deleted. */
const belongsTo = ({ project, members, isDeleted }: StoredProject, accountId: number) =>
  !isDeleted && (project.ownerId === accountId || members.includes(accountId));

forEachEngine((engine) => {
  let opened: TestStore;
  before(async () => {
    opened = await openTestDatabase(engine);
  });
  after(() => opened[Symbol.asyncDispose]());

  const everyAccount = (
    look: (tx: Writes, accountId: number, own: readonly StoredProject[]) => Promise<void>,
  ) =>
    fc.asyncProperty(fc.array(project, { maxLength: 5 }), (plans) =>
      rolledBack(opened.store, async (tx) => {
        const accountIds = await storeAccounts(tx);
        const projects: StoredProject[] = [];
        for (const plan of plans) projects.push(await store(tx, accountIds, plan));
        for (const id of accountIds) {
          await look(
            tx,
            id,
            projects.filter((one) => belongsTo(one, id)),
          );
        }
      }),
    );

  test('an account sees the projects that it owns or is a member of, and what happens in them', async () => {
    const property = everyAccount(async (tx, accountId, own) => {
      const checks = own.flatMap((one) => one.checks);

      const seen = await tx.projects.accessibleTo(accountId);
      assert.deepEqual(
        seen.map(({ id }) => id),
        own.map((one) => one.project.id),
      );
      for (const list of [await tx.projects.withRoles(accountId), await tx.projects.overviewsOf(accountId)]) {
        assert.deepEqual(
          list.map(({ project: { id }, role }) => [id, role]),
          own.map((one) => [one.project.id, one.project.ownerId === accountId ? 'owner' : 'member']),
        );
      }
      const isDown = checks.some(({ status }) => status === 'down');
      assert.equal(await tx.mailPreferences.hasDown(accountId, NOW), isDown);
      const wasPinged = checks.some(({ lastReceivedAt }) => lastReceivedAt !== null);
      assert.equal(await tx.mailPreferences.wasPinged(accountId, NOW), wasPinged);
      const [blind] = await tx.mailPreferences.afterBlindness(accountId - 1, 1, NOW);
      assert.deepEqual(blind, {
        accountId,
        isConcerned: checks.some(({ status }) => status !== 'paused'),
        excused: checks.filter(({ excusedUntilAt }) => excusedUntilAt !== null).length,
      });
      await tx.mailPreferences.updateReminderDates([accountId], NOW);
      const preferences = await tx.mailPreferences.ofAccount(accountId);
      assert.equal(preferences?.nextReminderAt !== null, isDown);
    });

    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });

  test('of a check its owner and its members are told, each once', async () => {
    const property = fc.asyncProperty(project, project, (one, two) =>
      rolledBack(opened.store, async (tx) => {
        const accountIds = await storeAccounts(tx);
        const projects = [await store(tx, accountIds, one), await store(tx, accountIds, two)];
        const checkIds = projects.flatMap(({ checks }) => checks.map(({ id }) => id));

        const readers = await tx.mailPreferences.readersOf(checkIds);
        const pairs = projects.flatMap((stored) =>
          stored.checks.flatMap(({ id }) =>
            accountIds.filter((accountId) => belongsTo(stored, accountId)).map((reader) => `${id} ${reader}`),
          ),
        );
        assert.deepEqual(
          readers.map(({ checkId, accountId }) => `${checkId} ${accountId}`).toSorted(),
          pairs.toSorted(),
        );
        const told = accountIds.filter((accountId) =>
          projects.some((stored) => stored.checks.length > 0 && belongsTo(stored, accountId)),
        );
        assert.deepEqual(await tx.mailPreferences.lockAccountsToRemind(checkIds), told);
      }),
    );

    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  });
});
