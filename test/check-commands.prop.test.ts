import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../src/domain/errors.ts';
import type { Project } from '../src/domain/people/project.ts';
import { systemRandom } from '../src/lib/random.ts';
import {
  type CheckCommand,
  type CommandOutcome,
  performCommands,
} from '../src/services/check/check-commands.ts';
import type { CheckDeps } from '../src/services/check/checks.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Store } from '../src/storage/store.ts';
import { openTestDatabase } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { addChannel, addCheck, givenProject, storedChecks } from './records.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20261116;
const RUNS = 60;
const CHECKS_OF_A_PROJECT = 2;

interface Step {
  readonly verb: CheckCommand['verb'];
  readonly project: number;
  /** One of all first checks: it may be of the other project, or deleted by then. */
  readonly check: number;
  readonly name: string;
  readonly channels: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom(
    ...(['create', 'create', 'update', 'update', 'pause', 'resume', 'delete'] as const),
    ...(['adjust', 'copy', 'move', 'remove', 'restore', 'clear', 'replace_address'] as const),
  ),
  project: fc.nat({ max: 1 }),
  check: fc.nat({ max: 2 * CHECKS_OF_A_PROJECT - 1 }),
  name: fc.constantFrom('a', 'b', 'ä \ud800', ''),
  channels: fc.constantFrom('', '*', 'mail', 'nobody'),
});

const NOTHING_ADJUSTED = { addTags: [], removeTags: [], addChannels: [], removeChannels: [] };

/** Two projects whose owners have room for one more check. */
async function createWorld(store: Store) {
  const limits = { checks: CHECKS_OF_A_PROJECT + 1, pings: 100 };
  const projects: Project[] = [];
  const ids: number[] = [];
  const uuids: string[] = [];
  for (let n = 0; n < 2; n++) {
    const { account, project } = await givenProject(store, { account: { limits } });
    projects.push(project);
    await addChannel(store, project, { name: 'mail' });
    for (let check = 0; check < CHECKS_OF_A_PROJECT; check++) {
      await store.transaction((tx) => tx.accounts.claimCheckSlot(account.id));
      const added = await addCheck(store, project, { name: `check ${ids.length}` });
      ids.push(added.id);
      uuids.push(added.uuid);
    }
  }
  const commandOf = ({ verb, project, check, name, channels }: Step): CheckCommand => {
    const actor = systemActor(projects[project]?.id ?? 0);
    const id = ids[check] ?? 0;
    const target = systemActor(projects[1 - project]?.id ?? 0);
    switch (verb) {
      case 'create':
        return { verb, actor, input: { edit: { name }, channels, match: name === 'b' ? { name } : null } };
      case 'update':
        return { verb, actor, id, input: { edit: { name }, channels } };
      case 'adjust':
        return { verb, actor, id, input: { ...NOTHING_ADJUSTED, addTags: [name] } };
      case 'copy':
      case 'move':
        return { verb, actor, id, target };
      case 'remove':
        return { verb, actor, id, assurance: 'given' };
      case 'restore':
        return { verb, actor, uuid: uuids[check] ?? '' };
      default:
        return { verb, actor, id };
    }
  };
  return {
    commandOf,
    contents: async () => {
      const found = await Promise.all(projects.map((project) => storedChecks(store, project)));
      return found.map((checks) => checks.map(({ name, status, tags }) => `${name} ${status} ${tags}`));
    },
  };
}

function told(outcome: CommandOutcome | undefined): string {
  assert.ok(outcome !== undefined);
  if ('value' in outcome) {
    const { check, channelUuids } = outcome.value;
    return `${check.name} ${check.status} with ${channelUuids.length}`;
  }
  const { failure } = outcome;
  return failure instanceof AppError ? `${failure.code}: ${failure.message}` : String(failure);
}

test('commands performed together have the outcomes and effects that they have one after the other', async () => {
  await using opened = await openTestDatabase('sqlite');
  const { store } = opened;
  const deps: CheckDeps = { store, clock: new FakeClock(0), random: systemRandom };

  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const [together, alone] = [await createWorld(store), await createWorld(store)];
    const outcomes = await performCommands(deps, steps.map(together.commandOf));
    const expected: CommandOutcome[] = [];
    for (const one of steps) expected.push(...(await performCommands(deps, [alone.commandOf(one)])));

    assert.deepEqual(outcomes.map(told), expected.map(told));
    assert.deepEqual(await together.contents(), await alone.contents());
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
});
