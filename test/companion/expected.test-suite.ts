/** What `tocsin run` says of what jobs leave behind and of their summaries. */
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Place, place, type Words } from './wrapper.ts';

const EXPECTS = ['--expect-file', '*.dump', '--newer-than-start', '--shrink-at-most', '50%'];

/** The bodies of all results. */
const results = ({ server, pings }: Place) =>
  pings().flatMap((path, index) => (path === '/start' ? [] : [`${path} ${server.received[index]?.body}`]));

export function describeExpected(name: string, words: Words): void {
  describe(`what a job should leave behind: ${name}`, { concurrency: 3 }, () => {
    test('is compared with what the last run left', async () => {
      await using here = await place(undefined, words);

      const ends = [];
      for (const bytes of [1_000, 600, 299]) {
        ends.push(await here.run([...EXPECTS, '-c', `head -c ${bytes} /dev/zero > app-${bytes}.dump`]));
      }

      assert.deepEqual(
        ends.map(({ code, stderr }) => [code, stderr]),
        [
          [0, ''],
          [0, ''],
          [
            0,
            'tocsin: *.dump: shrunk by more than 50%: app-299.dump with 299 bytes; the last run left app-600.dump with 600 bytes\n',
          ],
        ],
      );
      const [first, second, third = ''] = results(here);
      assert.deepEqual([first, second], [' file_bytes=1000', ' file_bytes=600']);
      assert.match(
        third,
        /^\/fail file_bytes=299\n\[tocsin\] exit status 0 after [\d.]+ s; \*\.dump: shrunk by /,
      );
      assert.equal((await readdir(join(here.folder, 'spool', 'left'))).length, 1);
    });

    test('is nothing where it is missing or not of this run', async () => {
      await using here = await place(undefined, words);

      const missing = await here.run([...EXPECTS, '--', 'true']);
      await writeFile(join(here.folder, 'a.dump'), 'x');
      const old = await here.run([...EXPECTS, '-c', 'touch -d yesterday a.dump']);
      const failed = await here.run([...EXPECTS, '-c', 'exit 3']);

      assert.deepEqual([missing.code, missing.stderr], [0, 'tocsin: *.dump: nothing is there\n']);
      assert.match(
        old.stderr,
        /^tocsin: \*\.dump: nothing new: a\.dump with 1 bytes is of \S+, and the job started at /,
      );
      assert.deepEqual([failed.code, failed.stderr], [3, '']);
      assert.deepEqual(here.pings(), ['/start', '/fail', '/start', '/fail', '/start', '/3']);
    });

    test('is looked at though nothing can be remembered', async () => {
      await using here = await place(undefined, words);
      await writeFile(join(here.folder, 'file'), '');

      const ended = await here.run([...EXPECTS, '--spool', 'file/spool', '-c', 'echo x > a.dump']);

      assert.deepEqual([ended.code, ended.stderr], [0, '']);
      assert.deepEqual(results(here), [' file_bytes=2']);
    });

    test('is said to be faulty where options do not fit, and the job runs', async () => {
      await using here = await place(undefined, words);

      const alone = await here.run(['--min-size', '1G', '--as', 'restic', '--output', 'none', '--', 'true']);
      const variable = await here.run(['--', 'true'], { environment: { TOCSIN_MIN_SIZE: '1G' } });

      assert.deepEqual(
        [alone.code, alone.stderr],
        [
          0,
          'tocsin: --min-size without --expect-file; --as reads the output, which --output none leaves alone\n',
        ],
      );
      assert.deepEqual([variable.code, variable.stderr], [0, '']);
    });

    test('has numbers where the output has a summary, and a note where it has none', async () => {
      await using here = await place(undefined, words);
      const summary = '{"message_type":"summary","total_files_processed":3,"data_added":7}';

      const ended = await here.run(['--as', 'restic', '--', 'echo', summary]);
      await here.run(['--as', 'restic', '--', 'echo', 'hello']);

      assert.deepEqual([ended.stdout.toString(), ended.stderr], [`${summary}\n`, '']);
      const [known, unknown = ''] = results(here);
      assert.equal(known, ` files=3 bytes_added=7 errors=0\n${summary}\n`);
      assert.match(
        unknown,
        /^ hello\n\[tocsin\] exit status 0 after .*; the output has no summary that --as restic knows$/,
      );
    });
  });
}
