import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchText } from '../../web/app/palette/search.ts';
import { type KeyPress, ShortcutKeys } from '../../web/app/shortcut-keys.ts';

describe('a text fits', () => {
  const cost = (typed: string, text: string) => matchText(typed, text)?.cost ?? null;

  test('best at its beginning, then at that of a word, then anywhere', () => {
    assert.deepEqual(
      ['backup-db', 'db-backup', 'fallback'].map((text) => cost('back', text)),
      [0, 1, 2],
    );
    assert.deepEqual(matchText('BACK', 'db-backup')?.range, [3, 7]);
  });

  test('with one slip in a word of four letters or more, and not with two', () => {
    for (const typed of ['bakup', 'bacckup', 'bavkup', 'bakcup', 'backpu', 'nigthly'])
      assert.notEqual(cost(typed, 'nightly db-backup'), null, typed);
    for (const typed of ['bvc', 'bxxkup', 'zzzz', 'puckab'])
      assert.equal(cost(typed, 'db-backup'), null, typed);
  });

  test('by letters that come in order, worse than by a slip', () => {
    assert.ok((cost('dbkp', 'db-backup') ?? 0) > (cost('bakup', 'db-backup') ?? 9));
  });

  test('if all words fit, in any order', () => {
    assert.notEqual(cost('backup night', 'nightly db-backup'), null);
    assert.equal(cost('backup monthly', 'nightly db-backup'), null);
  });
});

describe('a key', () => {
  const press = (key: string, overrides: Partial<KeyPress> = {}): KeyPress => ({
    key,
    isMod: false,
    isAlt: false,
    isTyping: false,
    isCovered: false,
    ...overrides,
  });
  const groups = [
    { shortcuts: [{ keys: 'mod+k' }, { keys: '?' }, { keys: 'g t' }, { keys: 'e', of: 'frame' }] },
    { shortcuts: [{ keys: 'e', of: 'page' }, { keys: 't' }] },
  ];

  test('does what the page says before what the frame says', () => {
    assert.deepEqual(new ShortcutKeys().find(press('e'), groups, 0), { keys: 'e', of: 'page' });
  });

  test('does nothing while somebody types, behind a dialog, with Alt, or if keys are off', () => {
    const keys = new ShortcutKeys();
    for (const hindrance of [{ isTyping: true }, { isCovered: true }, { isAlt: true }])
      assert.equal(keys.find(press('e', hindrance), groups, 0), null);
    keys.isOff = true;
    assert.equal(keys.find(press('?'), groups, 0), null);
  });

  test('with Ctrl or ⌘ works everywhere, also if keys are off', () => {
    const keys = new ShortcutKeys();
    keys.isOff = true;
    const found = keys.find(press('K', { isMod: true, isTyping: true, isCovered: true }), groups, 0);
    assert.deepEqual(found, { keys: 'mod+k' });
    assert.equal(keys.find(press('e', { isMod: true }), groups, 0), null);
  });

  test('with Alt works while somebody types, and not behind a dialog', () => {
    const moving = [{ shortcuts: [{ keys: 'alt+arrowup' }, { keys: 'ArrowUp' }] }];
    const up = press('ArrowUp', { isAlt: true, isTyping: true });
    assert.deepEqual(new ShortcutKeys().find(up, moving, 0), { keys: 'alt+arrowup' });
    assert.equal(new ShortcutKeys().find({ ...up, isCovered: true }, moving, 0), null);
  });

  test('after another one is the second of two, for a second', () => {
    const keys = new ShortcutKeys();
    assert.equal(keys.find(press('g'), groups, 0), null);
    assert.deepEqual(keys.find(press('t'), groups, 900), { keys: 'g t' });
    assert.deepEqual(keys.find(press('t'), groups, 950), { keys: 't' });
    assert.equal(keys.find(press('g'), groups, 2_000), null);
    assert.deepEqual(keys.find(press('t'), groups, 3_100), { keys: 't' });
  });
});
