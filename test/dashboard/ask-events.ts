import type { Browser } from './browser.ts';

/** Asks for the events of a check: `checks/<uuid>` and a query, with the cursor in it. */
export function askEvents(browser: Browser, check: string, query = '') {
  const filter = new URLSearchParams(query);
  const cursor = filter.get('cursor');
  filter.delete('cursor');
  return browser.post(`${check}/read/checkEvents`, {
    filter: filter.toString(),
    ...(cursor !== null && { cursor }),
  });
}
