import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../test/process.ts';
import { PROVISION_LIMITS } from './document.ts';
import { readDeclaration, readProvisionFile } from './file.ts';
import { parseProvisionFile } from './parse.ts';

const { maxBytes } = PROVISION_LIMITS;
const TOO_LONG = new RegExp(`:1: the file is longer than ${maxBytes} bytes$`);

describe('a provisioning file', () => {
  test('is read up to its limit, and refused beyond', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'tocsin.yaml');

    await writeFile(path, Buffer.alloc(maxBytes, ' '));
    assert.equal((await readProvisionFile(path)).length, maxBytes);

    await writeFile(path, Buffer.alloc(maxBytes + 1, ' '));
    await assert.rejects(readProvisionFile(path), TOO_LONG);
  });

  test('that has no end is refused, too', async () => {
    await assert.rejects(readProvisionFile('/dev/zero'), TOO_LONG);
  });

  test('that is not there is told by its path', async () => {
    await assert.rejects(readProvisionFile('/no/such/tocsin.yaml'), /\/no\/such\/tocsin\.yaml/);
  });

  test('that is long is parsed in a thread, to the same result', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'tocsin.yaml');
    const line =
      '      - { slug: job-%, tags: prod db, schedule: "0 3 * * *", tz: Europe/Riga, grace: 3600 }\n';
    const checks = Array.from({ length: 1_000 }, (_, index) => line.replace('%', String(index))).join('');
    const content = `projects:\n  - name: Alpha\n    owner: alice@example.org\n    checks:\n${checks}`;

    await writeFile(path, content);
    assert.deepEqual(await readDeclaration(path), parseProvisionFile(path, content));

    await writeFile(path, `${content}      - { slug: job-1, tags: prod }\n`);
    await assert.rejects(readDeclaration(path), {
      name: 'ProvisionFileError',
      message: `${path}:1005: slug job-1 is declared on line 6 already`,
    });
  });
});
