import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { CHANNEL_KINDS, kindOf } from '../src/integrations/registry.ts';
import { DOC_PAGES, FORMER_PAGES } from '../src/wire/docs/pages.ts';
import { SNIPPET_KINDS, snippetOf } from '../web/pages/check/snippets.ts';
import { sharedTestApp } from './app.ts';
import { REPOSITORY } from './process.ts';

const app = sharedTestApp('sqlite');

const PAGES = [
  ...DOC_PAGES.flatMap(({ path, file }) => (file === null ? [] : [path])),
  ...CHANNEL_KINDS.map((kind) => `integrations/${kind}/`),
];

const get = (path: string, headers = {}) => app().request('GET', path, { headers });
const doc = (path: string) => get(`/docs/${path}`);

const hrefsIn = (html: string) => [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);
const idsIn = (html: string) => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id));

suite('every page of the documentation', () => {
  for (const path of PAGES)
    test(`/docs/${path} is read without signing in and without a script`, async () => {
      const { status, headers, text } = await doc(path);

      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.match(
        headers['content-security-policy'] ?? '',
        /^default-src 'none'; script-src 'self'; style-src 'self'/,
      );
      assert.equal(text.match(/<h1[ >]/g)?.length, 1);
      assert.match(text, /<title>[^<]+ – Tocsin<\/title>/);
      assert.equal(text.match(/<nav aria-label="Documentation">/g)?.length, 1);
      assert.match(text, / aria-current="(?:page|true)"/);
      assert.doesNotMatch(text, / style="|<style|<script>|\son\w+="|https:\/\/tocsin\.example\.org/);
      assert.deepEqual(
        [...text.matchAll(/ (?:src|action)="([^"]*)"/g)].filter(
          ([, address = '']) => !address.startsWith('/docs'),
        ),
        [],
      );
    });

  test('has no link that leads nowhere', async () => {
    const texts = new Map(
      await Promise.all(PAGES.map(async (path) => [path, (await doc(path)).text] as const)),
    );
    const ids = new Map([...texts].map(([path, text]) => [`/docs/${path}`, idsIn(text)]));
    const broken: string[] = [];
    const other = new Set<string>();
    for (const [path, text] of texts)
      for (const href of hrefsIn(text)) {
        if (/^(https?:|data:)/.test(href)) continue;
        const { pathname, hash, search } = new URL(href, `http://testserver/docs/${path}`);
        const target = ids.get(pathname);
        if (target === undefined) other.add(pathname + search);
        else if (hash !== '' && !target.has(decodeURIComponent(hash.slice(1))))
          broken.push(`${path}: ${href}`);
      }
    for (const address of other) {
      // Without a dashboard there is no first page.
      if (address !== '/' && (await get(address)).status !== 200) broken.push(address);
    }

    assert.deepEqual(broken, []);
  });

  test('is asked for once, and known by its tag afterwards', async () => {
    const first = await doc('schedules/');
    const again = await get('/docs/schedules/', { 'if-none-match': first.headers.etag ?? '' });
    const packed = await get('/docs/schedules/', { 'accept-encoding': 'gzip' });

    assert.equal(first.headers['cache-control'], 'public, max-age=300');
    assert.deepEqual([again.status, again.text], [304, '']);
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.ok(packed.bytes.length < first.bytes.length / 2);
  });

  test('comes from a text of the folder, and every text of the guide is a page', async () => {
    const files = (await readdir(join(REPOSITORY, 'docs/guide'))).map((name) => `guide/${name}`);
    const shown = DOC_PAGES.flatMap(({ file }) => (file?.startsWith('guide/') ? [file] : []));

    assert.deepEqual(files.toSorted(), shown.toSorted());
  });
});

test('an address that does not exist has a page that says so', async () => {
  for (const path of [
    'nonsense/',
    'integrations/nonsense/',
    'integrations/__proto__/',
    'constructor/',
    '%00/',
  ]) {
    const { status, text } = await doc(path);
    assert.equal(status, 404, path);
    assert.match(text, /There is no such page/);
  }
});

test('links to the documentation of Healthchecks lead to the page that tells the same', async () => {
  for (const [former, now] of Object.entries(FORMER_PAGES)) {
    const { status, headers } = await doc(`${former}/`);
    assert.equal(status, 301);
    assert.equal(headers.location, `/docs/${now}`);
    const [path = '', id] = now.split('#');
    const { status: there, text } = await doc(path);
    assert.equal(there, 200, former);
    if (id !== undefined) assert.ok(idsIn(text).has(id), `${former}: ${now}`);
  }
});

suite('searching', () => {
  const search = async (query: string) => (await doc(`search/?q=${encodeURIComponent(query)}`)).text;

  test('finds sections and marks what was searched for', async () => {
    const text = await search('grace');

    assert.match(text, /<ul class="found">/);
    assert.match(text, /<mark>[Gg]race/);
    assert.match(text, /<input type="search" name="q" value="grace"/);
  });

  test('finds a setting by its name, and an integration with a slip in it', async () => {
    assert.match(await search('SMTPD_PORT'), /href="\/docs\/self-hosting\/#settings"/);
    assert.match(await search('telegarm'), /href="\/docs\/integrations\/telegram\//);
  });

  test('takes quotes and signs for what they are', async () => {
    for (const query of ['"', "'", '<script>alert(1)</script>', '%', '\\', '(((', 'a&b', '日本']) {
      const text = await search(query);
      assert.match(text, /Nothing found|<ul class="found">/);
      assert.doesNotMatch(text, /<script>alert/);
    }
    assert.match(await search(''), /Type what you look for/);
  });
});

suite('trying a schedule', () => {
  const attempt = async (schedule: string, tz: string) =>
    (await doc(`cron/?${new URLSearchParams({ schedule, tz })}`)).text;

  test('tells what it means and when it runs, in the zone and in UTC', async () => {
    const text = await attempt('30 3 * * *', 'Europe/Riga');

    assert.match(text, /<strong>At 03:30, every day<\/strong>/);
    assert.match(text, /Next runs in Europe\/Riga/);
    assert.match(text, /Sat 2024-03-02 03:30:00 \+02:00<\/td><td>2024-03-02T01:30:00Z/);
  });

  test('tells runs in UTC once', async () => {
    const text = await attempt('30 3 * * *', 'UTC');

    assert.match(text, /Sat 2024-03-02 03:30:00 \+00:00/);
    assert.doesNotMatch(text, /In UTC/);
  });

  test('tells what is wrong', async () => {
    assert.match(await attempt('60 * * * *', 'UTC'), /is not between 0 and 59/);
    assert.match(await attempt('0 * * * *', 'Mars/Base'), /is no time zone/);
    for (const schedule of ['', ' ', '"><script>', 'x'.repeat(5000)])
      assert.match(await attempt(schedule, 'UTC'), /class="fault"/, schedule);
  });

  test('offers common ones, with a link that tries each', async () => {
    const { text } = await doc('cron/');
    const links = hrefsIn(text).filter((href) => href.includes('schedule='));

    assert.equal(links.length, 14);
    for (const link of links) {
      const answer = (await get(link.replaceAll('&amp;', '&'))).text;
      assert.match(answer, /Next runs in UTC/, link);
    }
  });
});

suite('the page of a kind of integration', () => {
  for (const kind of CHANNEL_KINDS)
    test(`${kind} has steps, settings, and a message`, async () => {
      const { text } = await doc(`integrations/${kind}/`);
      const { label = '', settings = {} } = kindOf(kind) ?? {};

      assert.ok(text.includes(`<h1>${label}</h1>`));
      for (const name of Object.keys(settings)) assert.ok(text.includes(`<code>${name}</code>`), name);
      assert.match(
        text,
        /About a backup that has failed:<\/p>\s*<(?:div class="code">|p>It sends nothing itself)/,
      );
      assert.doesNotMatch(text, /undefined|\[object|NaN/);
      assert.ok((await doc('integrations/')).text.includes(`href="/docs/integrations/${kind}/"`));
    });
});

test('the page for jobs has the lines that the page of a check shows', async () => {
  const { text } = await doc('clients/');
  for (const kind of SNIPPET_KINDS) {
    const url = 'http://testserver/ping/your-uuid';
    const options = { start: false, exitStatus: true, output: false, crontab: '0 3 * * *' };
    const lines = snippetOf(kind, { url, ...options });
    assert.ok(
      text.includes(
        lines
          .replaceAll('&', '&amp;')
          .replaceAll("'", '&#x27;')
          .replaceAll('"', '&quot;')
          .replaceAll('>', '&gt;')
          .replaceAll('<', '&lt;'),
      ),
      kind,
    );
  }
});
