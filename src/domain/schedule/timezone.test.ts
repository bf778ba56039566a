import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { acceptedTimezone, canonicalTimezone, evaluableZone } from './timezone.ts';
import { TIMEZONE_NAMES } from './timezone-names.ts';
import { zoneOffsets } from './zone-offsets.ts';

const vectors: { accepted: string[]; legacy: Record<string, string> } = JSON.parse(
  readFileSync(new URL('../../../test/vectors/timezones.json', import.meta.url), 'utf8'),
);

suite('the name of a zone that is kept', () => {
  test('is the one that was given, and people can be shown its time', () => {
    for (const name of [...vectors.accepted, ...Object.keys(vectors.legacy)]) {
      assert.equal(acceptedTimezone(name), name);
      assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone: name }), name);
    }
  });

  test('is refused if it is none', () => assert.equal(acceptedTimezone('Mars/Olympus'), null));
});

suite('the name of a zone today', () => {
  test('each of the 483 accepted names is that', () => {
    assert.equal(vectors.accepted.length, 483);
    assert.deepEqual(TIMEZONE_NAMES, vectors.accepted.toSorted());
    for (const name of vectors.accepted) assert.equal(canonicalTimezone(name), name);
  });

  test('each of the 113 older names becomes its name of today', () => {
    assert.equal(Object.keys(vectors.legacy).length, 113);
    for (const [older, today] of Object.entries(vectors.legacy))
      assert.equal(canonicalTimezone(older), today, older);
  });

  test('Europe/Kiev is Europe/Kyiv', () => {
    assert.equal(canonicalTimezone('Europe/Kiev'), 'Europe/Kyiv');
  });

  test('a zone founded since is accepted when the runtime knows it', () => {
    assert.equal(canonicalTimezone('America/Coyhaique'), 'America/Coyhaique');
  });

  test('every name that the runtime lists is accepted', () => {
    for (const name of Intl.supportedValuesOf('timeZone'))
      assert.notEqual(canonicalTimezone(name), null, name);
  });

  const refused = [
    ...['', ' ', 'Factory', 'localtime', 'posixrules', 'right/Europe/Riga', 'posix/Europe/Riga'],
    ...['europe/riga', 'EUROPE/RIGA', 'utc', 'Z', 'Europe', 'Europe/', 'Europe/Nowhere', ' Europe/Riga'],
    ...['+02:00', 'UTC+2', '2024-01-01T00:00Z', '2024-01-01T00:00[Europe/Riga]', 'constructor', '__proto__'],
  ];
  for (const name of refused) {
    test(`${JSON.stringify(name)} is refused`, () => assert.equal(canonicalTimezone(name), null));
  }
});

suite('the zone that an OnCalendar line names', () => {
  test('older names are evaluated under their own name', () => {
    assert.equal(evaluableZone('Europe/Kiev'), 'Europe/Kiev');
    assert.equal(evaluableZone('EST'), 'EST');
  });

  test('names are as case-sensitive as in a check', () => {
    assert.equal(evaluableZone('utc'), null);
    assert.equal(evaluableZone('Europe/riga'), null);
  });

  test('leap seconds make no other zone', () => {
    assert.equal(evaluableZone('right/Europe/Riga'), 'Europe/Riga');
    assert.equal(evaluableZone('right/Nowhere'), null);
  });
});

test('the runtime can evaluate every name that we accept', () => {
  for (const name of [...vectors.accepted, ...Object.keys(vectors.legacy)]) {
    assert.ok(zoneOffsets(name).offsets.length > 0, name);
  }
});
