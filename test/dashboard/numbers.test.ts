import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbersLine } from '../../src/companion/run/numbers.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { MAX_NUMBER_LINE } from '../../src/domain/ping/numbers.ts';
import { MAX_PAGE_RUNS } from '../../src/views/limits.ts';
import { START, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { pingRecord } from '../records.ts';
import { givenTeam } from './team.ts';

const LONG = `\n${'a line of output\n'.repeat(100)}`;

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given() {
    const team = await givenTeam(app());
    const check = await app().givenCheck(team.project);
    const page = async () => (await team.browser.get(`/checks/${check.uuid}/read/checkPage`)).json;
    const ping = async (n: number) =>
      (await team.browser.post(`/checks/${check.uuid}/read/pingPage`, { n, isWhole: false })).json;
    return { ...team, check, page, ping };
  }

  const say = (check: Check, body: string, path = '') =>
    app().ping(`/${check.uuid}${path}`, { method: 'POST', body });

  test('the page shows the numbers that a check declares, wherever a job sends them', async () => {
    const { project, browser } = await givenTeam(app());
    const check = await app().givenCheck(project, {
      runRules: '{"numbers":[{"name":"rows"},{"name":"stats.kb"}]}',
    });
    await app().ping(`/${check.uuid}?number=rows:5`);
    await say(check, '{"stats": {"kb": 7}, "rows": 6}');
    await say(check, 'rows=8 files=2');

    const { numbers } = (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json;
    assert.deepEqual(numbers, [
      { name: 'rows', values: [5, 6, 8] },
      { name: 'files', values: [null, null, 2] },
      { name: 'stats.kb', values: [null, 7, null] },
    ]);
  });

  test('the page shows what runs report in the first lines of their bodies, and each ping its own', async () => {
    const { check, page, ping, project } = await given();
    const other = await app().givenCheck(project);
    await say(check, 'nothing yet');
    assert.deepEqual((await page()).numbers, []);

    await say(other, 'others=1');
    await say(check, numbersLine({ files: 120, bytes_added: 1_234 }));
    await say(check, 'files=99', '/log');
    await say(check, `files=0 errors=1${LONG}`, '/fail');
    await say(check, `${' '.repeat(MAX_NUMBER_LINE)}\nfiles=7`);

    const { numbers, numbersAway, runs } = await page();
    assert.equal(numbersAway, 0);
    assert.deepEqual(
      runs.map(({ n }: { n: number }) => n),
      [1, 2, 4, 5],
    );
    assert.deepEqual(numbers, [
      { name: 'files', values: [null, 120, 0, null] },
      { name: 'errors', values: [null, null, 1, null] },
      { name: 'bytes_added', values: [null, 1234, null, null] },
    ]);
    assert.deepEqual((await ping(4)).numbers, [
      { name: 'files', value: 0 },
      { name: 'errors', value: 1 },
    ]);
    assert.deepEqual((await ping(1)).numbers, []);
  });

  test('bytes that are no text, and a character that is cut where looking ends, are no fault', async () => {
    const { check, page, ping } = await given();
    const post = (body: Uint8Array) => app().ping(`/${check.uuid}`, { method: 'POST', body });
    await post(Buffer.from([0xff, 0xfe, 0x00, 0x3d, 0x31]));
    await post(Buffer.concat([Buffer.from('files=1 x=\xff\n', 'latin1'), Buffer.alloc(2_000, 0xf0)]));
    await post(Buffer.from(`${'x'.repeat(MAX_NUMBER_LINE - 1)}€=1`));
    await post(Buffer.concat([Buffer.from('files=3\n'), Buffer.from([0xe2, 0x82])]));

    const { numbers, numbersAway } = await page();

    assert.deepEqual([numbers, numbersAway], [[{ name: 'files', values: [null, null, null, 3] }], 0]);
    assert.deepEqual((await ping(2)).numbers, []);
  });

  test('only the runs that are shown are read, and bodies in object storage are counted', async () => {
    const { check, page } = await given();
    const pings = Array.from({ length: MAX_PAGE_RUNS + 5 }, (_, index) =>
      pingRecord(check.id, {
        ...{ n: index + 1, createdAt: START - (MAX_PAGE_RUNS + 5 - index) * 1_000_000 },
        body: Buffer.from(index < 5 ? 'old=1' : `files=${index}`),
      }),
    );
    const moved = {
      ...pingRecord(check.id, { n: MAX_PAGE_RUNS + 6, createdAt: START }),
      longBodySize: 5_000,
    };
    await app().deps.store.transaction((tx) => tx.pings.insertMany([...pings, moved]));

    const { numbers, numbersAway } = await page();

    assert.equal(numbersAway, 1);
    const values = Array.from({ length: MAX_PAGE_RUNS - 1 }, (_, index) => index + 6);
    assert.deepEqual(numbers, [{ name: 'files', values: [...values, null] }]);
  });
});
