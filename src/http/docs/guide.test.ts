import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVER } from '../../integrations/kind/alert-event.test-support.ts';
import type { DocsAsked } from '../../reading/docs.ts';
import type { Reads } from '../../services/core/reads.ts';
import type { Answer } from '../replies.ts';
import type { OpenRequest } from '../route.ts';
import { guideRoutes } from './guide.ts';

/** Routes over a thread that notes what it is asked. */
function openGuide() {
  const asked: DocsAsked[] = [];
  const reads = {
    async ask(_read: unknown, page: { asked: DocsAsked }) {
      asked.push(page.asked);
      return { head: null, pieces: [Buffer.from('a page')] };
    },
  } as unknown as Reads;
  const routes = guideRoutes({
    reads,
    offer: { server: SERVER, hasMail: true },
    prefix: '/watch',
    pages: null,
    isDemonstration: false,
  });
  const get = async (path: string, query = '', params = {}): Promise<Answer> => {
    const operation = routes.find((route) => route.path === path)?.operations.GET;
    if (operation?.auth !== 'none') return assert.fail(path);
    // The operations look at nothing else.
    const request = { params, headers: {}, query: new URLSearchParams(query) };
    return operation.handle(request as unknown as OpenRequest);
  };
  return { asked, get };
}

test('a page is written once, however many ask for it at once', async () => {
  const { asked, get } = openGuide();

  await Promise.all(Array.from({ length: 100 }, () => get('/docs/:page/', '', { page: 'pinging' })));
  await get('/docs/:page/', '', { page: 'pinging' });

  assert.deepEqual(asked, [{ page: 'pinging/' }]);
});

test('addresses that do not exist share one page', async () => {
  const { asked, get } = openGuide();

  for (const page of ['a', 'b', 'c']) assert.equal((await get('/docs/:page/', '', { page })).status, 404);

  assert.deepEqual(asked, [{ notFound: true }]);
});

test('what is searched for and tried is cut before a thread is asked', async () => {
  const { asked, get } = openGuide();

  await get('/docs/search/', `q=${'x'.repeat(9_000)}`);
  await get('/docs/cron/', `schedule=${'x'.repeat(9_000)}&tz=${'y'.repeat(9_000)}`);

  assert.deepEqual(asked, [
    { search: 'x'.repeat(100) },
    { schedule: 'x'.repeat(1_001), tz: 'y'.repeat(100) },
  ]);
});

test('a former page leads below the path of the site', async () => {
  const { status, headers } = await openGuide().get('/docs/:page/', '', { page: 'http_api' });

  assert.deepEqual([status, headers?.location], [301, '/watch/docs/pinging/']);
});
