import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, click, one, show } from '../../ui/dom.test-support.ts';
import type { Alerting } from '../alerting/choice.ts';
import { WhenToTellRows } from './when-to-tell-section.tsx';

const ALERTING: Alerting = {
  policy: 'at-once',
  tags: [
    { tag: 'db', policy: 'night', asOne: false },
    { tag: 'web', policy: '', asOne: true },
  ],
  policies: [{ uuid: '1', name: 'night', rules: { wait: 3600 } }],
  calendars: [],
  channels: [],
  knownTags: ['db', 'cron'],
};

test('moving and removing a tag sends the list in its new order, and the ends of the list go no further', async () => {
  const sent: unknown[] = [];
  using _shown = show(
    <WhenToTellRows project="p" alerting={ALERTING} onChange={(part, words) => sent.push([part, words])} />,
  );
  const [db, web] = ALERTING.tags;

  assert.deepEqual(
    ['Move db up', 'Move db down', 'Move web up', 'Move web down'].map((name) =>
      one('button', name).hasAttribute('disabled'),
    ),
    [true, false, false, true],
  );
  await click(one('button', 'Move web up'));
  await click(one('button', 'Remove db'));

  assert.deepEqual(sent, [
    [{ tags: [web, db] }, 'Moved web'],
    [{ tags: [web] }, 'Removed db'],
  ]);
});

test('to tell as one is saved by its box, which cannot be switched where nothing would be left of the tag', async () => {
  const sent: unknown[] = [];
  using _shown = show(
    <WhenToTellRows project="p" alerting={ALERTING} onChange={(part, words) => sent.push([part, words])} />,
  );
  const [db, web] = ALERTING.tags;

  await click(one('checkbox', 'Tell checks with db as one'));

  assert.deepEqual(sent, [[{ tags: [{ ...db, asOne: true }, web] }, 'Saved db']]);
  assert.equal(one('checkbox', 'Tell checks with web as one').hasAttribute('disabled'), true);
});

test('whoever may only read sees the choices in words, and no controls', () => {
  using _shown = show(<WhenToTellRows project="p" alerting={ALERTING} onChange={null} />);

  assert.deepEqual([all('button'), all('combobox')], [[], []]);
  assert.deepEqual(
    all('listitem').map(({ textContent }) => textContent),
    ['dbOwn: night', 'webAs the projectTell as one'],
  );
});
