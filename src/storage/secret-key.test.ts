import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/process.ts';
import { systemRandom } from '../lib/random.ts';
import { acceptSecretFiles, findSecretFiles, keepSecretFiles } from './secret-key.ts';

const secret = (letter: string) => letter.repeat(43);
const OLD = { current: secret('a'), fallbacks: [secret('b')] };
const NEW = { current: secret('c'), fallbacks: [secret('d')] };

test('secrets of a backup are accepted beside those of now, and then take their place', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'tocsin.db');
  const found = () => findSecretFiles(path, systemRandom);
  assert.equal(await found(), null);
  await acceptSecretFiles(path, OLD, systemRandom);
  assert.deepEqual(await found(), OLD);

  await acceptSecretFiles(path, NEW, systemRandom);
  assert.deepEqual(await found(), {
    current: OLD.current,
    fallbacks: [...OLD.fallbacks, NEW.current, ...NEW.fallbacks],
  });

  await keepSecretFiles(path, NEW, systemRandom);
  assert.deepEqual(await found(), NEW);
});

test('accepting the same secrets once more changes nothing', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'tocsin.db');
  await keepSecretFiles(path, OLD, systemRandom);
  await acceptSecretFiles(path, OLD, systemRandom);
  assert.deepEqual(await findSecretFiles(path, systemRandom), OLD);
});
