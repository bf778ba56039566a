import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config/read-config.ts';
import { volumeWarning } from './image-volume.ts';

const PROGRAM = '/app/dist/cli/image-volume.js';
const IN_FILE = readConfig({ DATABASE_URL: 'sqlite:/data/tocsin.db' });

/** What Linux tells of these places. */
function mounts(...places: string[]): () => string {
  return () => places.map((place, n) => `${n} 1 0:${n} / ${place} rw - overlay overlay rw\n`).join('');
}

test('a container whose data is on no volume warns of that', () => {
  const warning = volumeWarning(IN_FILE, PROGRAM, mounts('/', '/proc', '/data-of-others'));

  assert.match(warning ?? '', /\/data is on no volume.* -v tocsin:\/data$/);
});

test('neither a volume, nor another database, nor a program outside of the image is warned of', () => {
  const deeper = readConfig({ DATABASE_URL: 'sqlite:/data/deep/tocsin.db' });
  const onServer = readConfig({ DATABASE_URL: 'postgres://user@host/tocsin' });

  assert.equal(volumeWarning(IN_FILE, PROGRAM, mounts('/', '/data')), null);
  assert.equal(volumeWarning(deeper, PROGRAM, mounts('/', '/data')), null);
  assert.equal(volumeWarning(onServer, PROGRAM, mounts('/')), null);
  assert.equal(volumeWarning(IN_FILE, '/srv/tocsin/dist/cli/image-volume.js', mounts('/')), null);
});
