import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Answer } from '../replies.ts';
import type { OpenRequest } from '../route.ts';
import { type PageFiles, readPages } from './page-files.ts';
import { pageRoutes } from './routes.ts';

const DOCUMENT = `<meta name="tocsin-root" content="" />
<script src="./theme.js"></script>
<link rel="stylesheet" href="./assets/index-abc.css">`;

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), DOCUMENT);
  await writeFile(join(folder, 'theme.js'), 'theme');
  await writeFile(join(folder, 'assets/index-abc.css'), 'styles');
  await writeFile(join(folder, 'assets/index-abc.css.br'), 'brotli');
  await writeFile(join(folder, 'assets/index-abc.css.gz'), 'gzip');
  await writeFile(join(folder, 'sources.sha256'), 'private');
});

after(() => rm(folder, { recursive: true }));

async function pagesBelow(prefix: string): Promise<PageFiles> {
  return (await readPages(folder, prefix)) ?? assert.fail();
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

test('a path with signs of HTML stays a path', async () => {
  const text = Buffer.from((await pagesBelow('/"><script>')).document).toString();

  assert.ok(!text.includes('"><script>'));
});

test('nothing is served where nothing was built', async () => {
  assert.equal(await readPages(join(folder, 'nowhere'), ''), null);
  assert.equal(await readPages(join(folder, 'assets'), ''), null);
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

  assert.deepEqual([...files.keys()].toSorted(), ['assets/index-abc.css', 'theme.js']);
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
