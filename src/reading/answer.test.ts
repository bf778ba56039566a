import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChangeMarks } from '../domain/change-marks.ts';
import { aCheck, NOW } from '../domain/check/check.test-support.ts';
import { SERVER } from '../integrations/kind/alert-event.test-support.ts';
import { messageLimits } from '../integrations/registry.ts';
import { systemRandom } from '../lib/random.ts';
import { createVault } from '../lib/vault.ts';
import { systemActor } from '../services/core/actor.ts';
import type { Store } from '../storage/store.ts';
import { READS } from './answer.ts';
import { checkList } from './check-list.ts';
import { LocalReads } from './local-reads.ts';

const SITE = {
  root: 'http://testserver',
  pingEndpoint: 'http://testserver/ping/',
  masterBadgeLabel: 'all',
  name: 'Tocsin',
};

/** A store that has so many checks, each with a description of a thousand characters. */
function depsWith(count: number) {
  const checks = Array.from({ length: count }, (_, index) =>
    aCheck({ id: index + 1, name: `Check ${index}`, description: 'd'.repeat(1_000) }),
  );
  const reads = {
    outlinesOf: async () => checks.map(({ id }) => ({ id, descriptionBytes: 1_000, revision: 1 })),
    channelsOfMany: async () => new Map(),
    revisedByIds: async (ids: readonly number[]) =>
      checks.filter(({ id }) => ids.includes(id)).map((check) => ({ ...check, revision: 1 })),
  };
  // All that a list asks for.
  const store = { checks: reads, marks: new ChangeMarks() } as unknown as Store;
  const vault = createVault('a secret for tests only', systemRandom);
  const limits = { defaultLimits: { checks: 20, pings: 100 }, messageLimits: messageLimits(SERVER) };
  return { store, vault, ...limits, site: SITE, isOnlyNode: true };
}

const question = {
  actor: systemActor(1),
  filter: { slug: null, tags: [] },
  view: { seesAddresses: true, version: 3 },
  knownTags: undefined,
} as const;

async function whole(count: number): Promise<{ pieces: number; text: string }> {
  const reads = new LocalReads(depsWith(count), { now: () => NOW, monotonic: () => 0 });
  const pieces = await Array.fromAsync((await reads.ask(checkList, question)).pieces);
  return { pieces: pieces.length, text: Buffer.concat(pieces).toString() };
}

test('a short answer is one piece, and known to be whole', async () => {
  for (const count of [0, 1, 20]) {
    const { pieces, text } = await whole(count);

    assert.equal(pieces, 1);
    assert.equal(JSON.parse(text).checks.length, count);
  }
});

test('a long answer comes in pieces that together are the whole', async () => {
  const { pieces, text } = await whole(500);

  assert.ok(pieces > 1, `${pieces}`);
  assert.deepEqual(
    JSON.parse(text).checks.map(({ name }: { name: string }) => name),
    Array.from({ length: 500 }, (_, index) => `Check ${index}`),
  );
});

test('a thread finds every read that the program declares', async () => {
  const declared: string[] = [];
  for (const file of ['reading', 'services', 'views'].map((part) => join(import.meta.dirname, '..', part)))
    for (const name of await readdir(file, { recursive: true }))
      if (/(?<!test)\.ts$/.test(name)) {
        const text = await readFile(join(file, name), 'utf8');
        for (const [, read = ''] of text.matchAll(
          /^export const (\w+)(?:: Read<|\s*=\s*(?:value|text)Read\()/gm,
        ))
          declared.push(read);
      }

  assert.deepEqual(Object.keys(READS).toSorted(), declared.toSorted());
});
