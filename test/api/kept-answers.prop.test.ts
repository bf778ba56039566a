import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Channel } from '../../src/domain/alert/channel.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { seconds } from '../../src/lib/instant.ts';
import { checkList } from '../../src/reading/check-list.ts';
import { LocalReads } from '../../src/reading/local-reads.ts';
import { deleteChannel } from '../../src/services/alert/channels.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { checkAnswer } from '../../src/wire/api/check-output.ts';
import { type GivenProject, SITE, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { MESSAGE_LIMITS } from '../node-parts.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20240301;
const RUNS = 8;

/** The period and the grace time are short, so that boundaries of the status are passed often. */
const SHORT = { timeout: 60, grace: 60 };

type Step =
  | { readonly does: 'ping'; readonly at: number; readonly signal: '' | '/fail' | '/start' | '/log' }
  | { readonly does: 'pause' | 'resume' | 'delete' | 'assign' | 'unassign'; readonly at: number }
  | { readonly does: 'edit'; readonly at: number; readonly fields: Record<string, unknown> }
  | { readonly does: 'create' | 'look' | 'excuse' | 'lose channel' }
  | { readonly does: 'wait'; readonly seconds: number };

const at = fc.nat({ max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('ping'), at, signal: signals() }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('wait'), seconds: fc.constantFrom(1, 30, 60, 90) }) },
  { weight: 2, arbitrary: fc.record({ does: changes(), at }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('edit'), at, fields: edits() }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('create', 'look', 'excuse', 'lose channel') }),
  },
);

function signals() {
  return fc.constantFrom('', '/fail', '/start', '/log');
}

function changes() {
  return fc.constantFrom('pause', 'resume', 'delete', 'assign', 'unassign');
}

function edits() {
  return fc.constantFrom<Record<string, unknown>>(
    { name: 'Näme' },
    { tags: 'a b' },
    { timeout: 120 },
    { grace: 90 },
    { schedule: '* * * * *', tz: 'UTC' },
    { desc: 'x'.repeat(3_000) },
  );
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project as its steps leave it. */
  class Life {
    readonly given: GivenProject;
    channel: Channel;
    checks: Check[] = [];

    constructor(given: GivenProject, channel: Channel) {
      this.given = given;
      this.channel = channel;
    }

    async take(step: Step): Promise<void> {
      const { key, project } = this.given;
      const check = 'at' in step ? this.checks[step.at % Math.max(1, this.checks.length)] : undefined;
      const path = `/api/v3/checks/${check?.uuid}`;
      if (step.does === 'wait') app().clock.advance({ seconds: step.seconds });
      else if (step.does === 'create')
        await app().request('POST', '/api/v3/checks/', { key, body: { ...SHORT, channels: '*' } });
      else if (step.does === 'look')
        await flipOverdue({ ...app().deps, onPoison: (_, error) => assert.fail(String(error)) });
      else if (step.does === 'excuse') {
        const now = app().clock.now();
        await app().deps.store.transaction((tx) =>
          tx.checks.excuseOverdue(now - seconds(300), now, seconds(60)),
        );
      } else if (step.does === 'lose channel') {
        await deleteChannel(app().deps, systemActor(project.id), this.channel.uuid);
        this.channel = await app().givenChannel(project);
      } else if (check === undefined) return;
      else if (step.does === 'ping') await app().ping(`/${check.uuid}${step.signal}`);
      else if (step.does === 'delete') await app().request('DELETE', path, { key });
      else if (step.does === 'edit') await app().request('POST', path, { key, body: step.fields });
      else if (step.does === 'assign') await app().request('POST', path, { key, body: { channels: '*' } });
      else if (step.does === 'unassign') await app().request('POST', path, { key, body: { channels: '' } });
      else await app().request('POST', `${path}/${step.does}`, { key, body: {} });
      const outlines = await app().deps.store.checks.outlinesOf(project.id);
      this.checks = await app().deps.store.checks.byIds(outlines.map(({ id }) => id));
    }

    /** The list as somebody makes it who has kept nothing. */
    async freshList(version: 1 | 3, seesAddresses: boolean): Promise<string> {
      const reads = new LocalReads(
        { ...app().deps, site: SITE, messageLimits: MESSAGE_LIMITS, isOnlyNode: false },
        app().clock,
      );
      const { pieces } = await reads.ask(checkList, {
        actor: systemActor(this.given.project.id),
        filter: { slug: null, tags: [] },
        view: { version, seesAddresses },
        knownTags: undefined,
      });
      return Buffer.concat(await Array.fromAsync(pieces)).toString();
    }
  }

  test('kept answers are those that would be made anew, through any life of checks', async () => {
    const run = async (steps: readonly Step[]) => {
      const given = await app().givenProject();
      const life = new Life(given, await app().givenChannel(given.project));
      /** By tag: the text that came with it. */
      const seen = new Map<string, string>();
      const requireFresh = async (path: string, key: string, fresh: string) => {
        const [last = ''] = [...seen.keys()].slice(-1);
        const known = await app().request('GET', path, { key, headers: { 'if-none-match': last } });
        if (known.status === 304) assert.equal(seen.get(last), fresh, `${path} was told to be unchanged`);
        const reply = await app().request('GET', path, { key });
        assert.deepEqual([reply.status, reply.text], [200, fresh], path);
        const tag = reply.headers.etag ?? assert.fail(`${path} has no tag`);
        assert.equal(seen.get(tag) ?? fresh, fresh, `${path} has the tag of another text`);
        seen.delete(tag);
        seen.set(tag, fresh);
        const again = await app().request('GET', path, { key, headers: { 'if-none-match': tag } });
        assert.deepEqual([again.status, again.text], [304, ''], path);
      };
      for (const step of [{ does: 'create' }, { does: 'create' }, ...steps] as const) {
        await life.take(step);
        await requireFresh('/api/v3/checks/', given.key, await life.freshList(3, true));
        await requireFresh('/api/v1/checks/', given.readOnlyKey, await life.freshList(1, false));
        for (const check of life.checks) {
          const uuids = await app().deps.store.checks.channelsOf(check.id);
          const viewer = { version: 3, seesAddresses: true, now: app().clock.now(), site: SITE } as const;
          const fresh = JSON.stringify(checkAnswer(check, uuids, viewer));
          await requireFresh(`/api/v3/checks/${check.uuid}`, given.key, fresh);
        }
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), run), { seed: SEED, numRuns: RUNS });
  });
});
