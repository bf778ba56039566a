import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refreshChecks } from '../../web/app/refresh-checks.ts';

test('an act on a check makes stale its page by either of its names, its project, and the counts of all projects', async () => {
  const stale: string[] = [];
  const queries = {
    invalidateQueries: async ({ queryKey }: { readonly queryKey: readonly string[] }) => {
      stale.push(queryKey.join('/'));
    },
  };

  await refreshChecks(queries, 'alpha');

  assert.deepEqual(stale, ['project/alpha', 'check', 'person/ownProjects']);
});
