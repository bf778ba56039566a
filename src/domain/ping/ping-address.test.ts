import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pingAddress } from './ping-address.ts';

const CHECK = { uuid: 'u-1', slug: 'job' };

test('an address has the UUID, or the ping key and the slug, and says what is missing', () => {
  const bySlug = { form: 'slug', pingKey: 'key' } as const;
  const of = (check: typeof CHECK, addressing: Parameters<typeof pingAddress>[1], isUnique = true) => {
    const { path, problem } = pingAddress(check, addressing, isUnique);
    return [path, problem];
  };
  assert.deepEqual(of({ ...CHECK, slug: '' }, { form: 'uuid', pingKey: null }), ['u-1', null]);
  assert.deepEqual(of(CHECK, bySlug), ['key/job', null]);
  assert.deepEqual(of(CHECK, bySlug, false), ['key/job', 'ambiguous_slug']);
  assert.deepEqual(of({ ...CHECK, slug: '' }, bySlug), [null, 'no_slug']);
  assert.deepEqual(of(CHECK, { form: 'slug', pingKey: null }), [null, 'no_ping_key']);
});
