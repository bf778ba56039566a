import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { firstWay } from '../../../src/domain/policy/ways.ts';
import { show } from '../../ui/dom.test-support.ts';
import { PersonsTimes } from '../../ui/time.tsx';
import { BROWSER_STYLE } from '../../ui/times.ts';
import type { Choice } from '../alerting/chosen.ts';
import type { Settings } from './settings.ts';
import { TellingSentence } from './telling-sentence.tsx';

notifyManager.setScheduler(queueMicrotask);

const SETTINGS = {
  ...{ kind: 'cron', timeout: 86_400, schedule: '0 3 * * *', tz: 'UTC', grace: 3_600, run_rules: {} },
  ...{ tags: 'db', channels: ['chat'], policy: '' },
} as unknown as Settings;

test('the sentence asks about the choice as it stands in the form, and writes the times of the answer', async (t) => {
  const asked: unknown[] = [];
  t.mock.method(globalThis, 'fetch', async (_url: string, { body }: { readonly body: string }) => {
    asked.push(JSON.parse(body));
    const [down, at] = ['2020-03-03T04:00:00+00:00', '2020-03-04T04:00:00+00:00'];
    const told = [{ at, event: 'first', channels: [{ name: 'Chat', label: 'Slack' }] }];
    return new Response(JSON.stringify({ down, told, nobody: null }));
  });
  const choice: Choice = { is: 'way', way: firstWay('twice', []) };
  const queries = new QueryClient({ defaultOptions: { queries: { gcTime: Number.POSITIVE_INFINITY } } });

  {
    using _shown = show(
      <QueryClientProvider client={queries}>
        <PersonsTimes value={{ ...BROWSER_STYLE, tz: 'UTC' }}>
          <TellingSentence place={{ project: 'p' }} settings={SETTINGS} choice={choice} />
        </PersonsTimes>
      </QueryClientProvider>,
    );
    await act(async () => {
      await new Promise((done) => setImmediate(done));
    });

    assert.deepEqual(asked, [{ ...SETTINGS, rules: { bad_runs: 2 } }]);
    assert.equal(
      document.body.textContent,
      'For this check: down at Tue 3 Mar, 04:00, Chat told at Wed 4 Mar, 04:00.',
    );
  }
  // Otherwise a timer forgets the answer, and the test would wait for it.
  queries.clear();
});
