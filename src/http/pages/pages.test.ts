import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Answer } from '../replies.ts';
import type { OpenRequest } from '../route.ts';
import { type PageFiles, readPages } from './page-files.ts';
import { pageRoutes } from './routes.ts';

const DOCUMENT = `<meta name="tocsin-root" content="" />
<meta name="apple-mobile-web-app-title" content="Tocsin" />
<script src="./theme.js"></script>
<link rel="stylesheet" href="./assets/index-abc.css">`;

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), DOCUMENT);
  await writeFile(join(folder, 'theme.js'), 'theme');
  const manifest = { name: 'Tocsin', short_name: 'Tocsin', id: './', start_url: './', scope: './' };
  const rest = { display: 'standalone', icons: [{ src: 'app-192.png' }] };
  await writeFile(join(folder, 'manifest.webmanifest'), JSON.stringify({ ...manifest, ...rest }));
  await writeFile(join(folder, 'manifest.webmanifest.br'), 'brotli');
  await writeFile(join(folder, 'assets/index-abc.css'), 'styles');
  await writeFile(join(folder, 'assets/index-abc.css.br'), 'brotli');
  await writeFile(join(folder, 'assets/index-abc.css.gz'), 'gzip');
  await writeFile(join(folder, 'sources.sha256'), 'private');
});

after(() => rm(folder, { recursive: true }));

const SITE = { path: '', name: 'Tocsin' };

async function pagesBelow(prefix: string): Promise<PageFiles> {
  return (await readPages(folder, { path: prefix, name: 'Night & Day' })) ?? assert.fail();
}

async function ask(path: string, headers: Record<string, string> = {}, file = ''): Promise<Answer> {
  const route = pageRoutes(await pagesBelow('')).find((one) => one.path === path) ?? assert.fail(path);
  const operation = route.operations.GET;
  if (operation?.auth !== 'none') return assert.fail();
  // The operations look at nothing else.
  return operation.handle({ params: { file }, headers } as unknown as OpenRequest);
}

const bytesOf = (answer: Answer) => ('bytes' in answer ? Buffer.from(answer.bytes).toString() : null);

test('the document finds its files below the path of the site', async () => {
  const text = Buffer.from((await pagesBelow('/watch')).document).toString();

  assert.match(text, /<script src="\/watch\/theme\.js">/);
  assert.match(text, /href="\/watch\/assets\/index-abc\.css"/);
  assert.match(text, /<meta name="tocsin-root" content="\/watch"/);
});

test('the installed app has the name of the site, and is what lies below its path', async () => {
  const { files, document } = await pagesBelow('/watch');
  const file = files.get('manifest.webmanifest') ?? assert.fail();

  assert.equal(file.contentType, 'application/manifest+json');
  assert.deepEqual(file.encodings, []);
  assert.deepEqual(JSON.parse(Buffer.from(file.bytes).toString()), {
    ...{ name: 'Night & Day', short_name: 'Night & Day' },
    ...{ id: '/watch/', start_url: '/watch/', scope: '/watch/' },
    ...{ display: 'standalone', icons: [{ src: 'app-192.png' }] },
  });
  assert.match(Buffer.from(document).toString(), /"apple-mobile-web-app-title" content="Night &amp; Day"/);
});

test('the icons of the installed app are small together', async () => {
  const folder = new URL('../../../web/public/', import.meta.url);
  const icons = (await readdir(folder)).filter((name) => name.endsWith('.png'));
  const sizes = await Promise.all(icons.map(async (name) => (await stat(new URL(name, folder))).size));

  assert.ok(icons.length >= 4);
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 40_000);
});

test('a path with signs of HTML stays a path', async () => {
  const text = Buffer.from((await pagesBelow('/"><script>')).document).toString();

  assert.ok(!text.includes('"><script>'));
});

test('nothing is served where nothing was built', async () => {
  assert.equal(await readPages(join(folder, 'nowhere'), SITE), null);
  assert.equal(await readPages(join(folder, 'assets'), SITE), null);
});

test('the document is asked for each time, and runs nothing inline or of others', async () => {
  const { headers = {} } = await ask('/');

  assert.equal(headers['cache-control'], 'no-cache');
  const policy = headers['content-security-policy'] ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|data:|https?:|\*/);
});

test('a file whose name tells its content is kept for ever, another is asked for each time', async () => {
  const hashed = await ask('/assets/:file', {}, 'index-abc.css');
  const plain = await ask('/theme.js');

  assert.equal(hashed.headers?.['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.headers?.['cache-control'], 'no-cache');
  assert.equal((await ask('/theme.js', { 'if-none-match': plain.headers?.etag ?? '' })).status, 304);
});

test('a browser gets the shortest form that it takes', async () => {
  const forms = {
    'gzip, deflate, br': ['brotli', 'br'],
    'gzip, deflate': ['gzip', 'gzip'],
    '': ['styles', undefined],
  };
  for (const [accepted, form] of Object.entries(forms)) {
    const answer = await ask('/assets/:file', { 'accept-encoding': accepted }, 'index-abc.css');

    assert.deepEqual([bytesOf(answer), answer.headers?.['content-encoding']], form);
    assert.equal(answer.headers?.vary, 'accept-encoding');
  }
  const plain = await ask('/theme.js', { 'accept-encoding': 'br' });
  assert.equal(bytesOf(plain), 'theme', 'of this one there is no other form');
});

test('only files that pages load can be asked for', async () => {
  const files = (await pagesBelow('')).files;

  assert.deepEqual([...files.keys()].toSorted(), [
    'assets/index-abc.css',
    'manifest.webmanifest',
    'theme.js',
  ]);
  for (const name of ['../index.html', '../../package.json', 'index-abc.css.br', 'index-abc.css.gz', ''])
    await assert.rejects(ask('/assets/:file', {}, name), { code: 'not_found' });
});

test('the link of a message leads to the page of its check, wherever the site is', async () => {
  const [route] = pageRoutes(await pagesBelow('')).filter(({ path }) => path.startsWith('/cloaked/'));
  const operation = route?.operations.GET;
  if (operation?.auth !== 'none') return assert.fail();
  const check = '1ff36a31ab04ddb5cdcc62cbd986d04863bfff5f';

  const answer = await operation.handle({ params: { check }, headers: {} } as unknown as OpenRequest);

  assert.equal(answer.status, 302);
  const { href } = new URL(answer.headers?.location ?? '', `https://example.org/watch/cloaked/${check}/`);
  assert.equal(href, `https://example.org/watch/checks/${check}/details/`);
});
