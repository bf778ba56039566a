import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameZone, zoneCity } from './zone.ts';

test('two names of one zone are the same zone', () => {
  assert.equal(isSameZone('US/Eastern', 'America/New_York'), true);
  assert.equal(isSameZone('Etc/UTC', 'UTC'), true);
  assert.equal(isSameZone('Europe/Berlin', 'Europe/Paris'), false);
});

test('a zone is called by its city, unless that would say the opposite', () => {
  assert.equal(zoneCity('Europe/Berlin'), 'Berlin');
  assert.equal(zoneCity('America/Argentina/Buenos_Aires'), 'Buenos Aires');
  assert.equal(zoneCity('UTC'), 'UTC');
  assert.equal(zoneCity('Etc/GMT+5'), 'Etc/GMT+5');
});

test('an unknown zone is called UTC, as its times are', () => {
  assert.equal(zoneCity('Mars/Olympus_Mons'), 'UTC');
});
